import { utf8 } from "../../kernel/bytes.ts";
import { quote } from "../../kernel/json-write.ts";
import { VERSION } from "../../kernel/version.ts";
import { PROJECT_SCHEMA } from "../../project/limits.ts";
import { type Method, resultAnswer } from "../method.ts";
import { rendered } from "../response.ts";

/** What transport v2 does not claim to be (D35). */
const NONCLAIMS_V2 = [
  "no_network_socket_tls_or_peer_authentication",
  "no_request_selected_root_or_arbitrary_filesystem_read",
  "no_native_build_process_tool_or_temp_authority",
  "no_source_write_patch_rename_or_change_authority",
  "no_persistent_disk_cache_or_incremental_refresh",
  "no_concurrent_batch_or_out_of_order_processing",
];

/** What transport v3 does not claim to be (D35). */
const NONCLAIMS_V3 = [
  "no_network_socket_tls_or_peer_authentication",
  "no_request_selected_root_path_patch_evidence_or_temp_authority",
  "single_file_explicit_exported_function_display_rename_only",
  "no_general_multi_file_change_import_alias_or_managed_workspace_authority",
  "no_exactly_once_delivery_deduplication_or_output_delivery_guarantee",
  "no_persistent_disk_cache_or_incremental_refresh",
  "no_concurrent_batch_or_out_of_order_processing",
];

/** What this daemon is, can do, and is bound to (D35, D37). */
export const protocol: Method = {
  name: "protocol",
  takesParameters: false,
  answer({ options, state, methodNames }) {
    const transport = options.allowProjectRename ? "v3" : "v2";
    const nonclaims = options.allowProjectRename ? NONCLAIMS_V3 : NONCLAIMS_V2;
    return resultAnswer(
      rendered(
        utf8(
          `{"protocol":"semaprax.agent-transport.${transport}","version":${quote(VERSION)},"state":"${state}",` +
            `"methods":${list(methodNames)},` +
            `"limits":{"max_request_bytes":${options.requestBytesMax},"max_response_bytes":${options.responseBytesMax}},` +
            `"bound_manifest":{"path":${quote(options.manifestPath)},"project_schema":"${PROJECT_SCHEMA}"},` +
            `"nonclaims":${list(nonclaims)}}`,
        ),
      ),
    );
  },
};

function list(words: readonly string[]): string {
  return `[${words.map(quote).join(",")}]`;
}
