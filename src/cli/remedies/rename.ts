/** Remedies for a rename that is refused. */
import { dirname, join } from "node:path";
import type { Diagnostic } from "../../kernel/failure.ts";
import { utf8Length } from "../../kernel/text.ts";
import type { AdmittedProject } from "../../lang/checked.ts";
import { MANIFEST_NAME, SYMBOL_BYTES_MAX } from "../../project/limits.ts";
import type { Manifest } from "../../project/manifest.ts";
import { lockPath } from "../../project/publish.ts";
import type { RenameRequest } from "../../project/rename-plan.ts";
import { nearestName } from "../nearest-name.ts";

export function renameRemedy(
  { code, message }: Diagnostic,
  request: RenameRequest,
  program: AdmittedProject,
  manifest: Manifest,
  manifestPath: string,
): string[] {
  switch (code) {
    case "SPX-J109":
      return targetRemedy(request, program, manifest);
    case "SPX-G103":
      return ["a name is letters, digits and _, all ASCII, and does not begin with a digit"];
    case "SPX-S101":
    case "SPX-G172":
      return [`choose a name that the file of ${request.targetId} does not use yet`];
    case "SPX-S104":
      return [`${request.to} is a word of the language; choose another name`];
    case "SPX-I205": {
      const path = fileOf(request.targetId, program);
      // Where it could not be made for another reason, the words say which.
      return path === null || !message.endsWith("(EEXIST)")
        ? []
        : lockRemedy(join(dirname(manifestPath), lockPath(path)));
    }
    case "SPX-J102":
    case "SPX-I201":
    case "SPX-I207":
    case "SPX-G133":
      return ["the project is being changed by somebody else: try again"];
    default:
      return [];
  }
}

function lockRemedy(lock: string): string[] {
  return [
    `another rename of this file is running, or one was killed\nif none is running, look at the file and remove ${lock}`,
  ];
}

/** What is wrong with the request; whatever the words of the refusal were. */
function targetRemedy(
  { targetId, from, to }: RenameRequest,
  { files, functionIds }: AdmittedProject,
  { webExports }: Manifest,
): string[] {
  const file = functionIds.findIndex((ids) => ids.includes(targetId));
  const declared = files[file]?.functions[functionIds[file]?.indexOf(targetId) ?? -1];
  if (declared === undefined) {
    const nearest = nearestName(targetId, webExports);
    return [nearest === null ? `these can be renamed: ${webExports.join(", ")}` : `did you mean ${nearest}?`];
  }
  if (declared.authoredId === null) return ["give the function an @id and export it"];
  if (!webExports.includes(targetId)) {
    return [`only exported functions can be renamed: add "${targetId}" to web_exports in ${MANIFEST_NAME}`];
  }
  if (declared.name.text !== from) return [`it is called ${declared.name.text}`];
  if (from === to) return ["give the new name with --to"];
  return utf8Length(to) > SYMBOL_BYTES_MAX ? [`a name has at most ${SYMBOL_BYTES_MAX} bytes`] : [];
}

function fileOf(targetId: string, { files, functionIds }: AdmittedProject): string | null {
  return files[functionIds.findIndex((ids) => ids.includes(targetId))]?.source.path ?? null;
}
