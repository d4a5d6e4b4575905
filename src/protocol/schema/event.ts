/** Project events: what happened, whether it was received, processed and reported (R43-R47). */

import { z } from "zod";
import { utf8Length } from "../../kernel/text.ts";
import { PAYLOAD_BYTES_MAX } from "../limits.ts";
import { Id, JsonObject, Name, Ref, Timestamp, text } from "./scalar.ts";

/** The canonical form has the length of any compact encoding, since only the order of keys differs. */
const Payload = JsonObject.refine((payload) => utf8Length(JSON.stringify(payload)) <= PAYLOAD_BYTES_MAX);

export const ProjectEvent = z.strictObject({
  event_id: Id,
  delivery_attempt_id: Id,
  event_type: Name,
  created_at: Timestamp,
  correlation_id: Id,
  causation_id: Id.exactOptional(),
  project_ref: Ref,
  task_ref: Ref.exactOptional(),
  payload: Payload,
});

const Acceptance = z.enum(["received", "durable"]);

export const ReceiveParams = z.strictObject({ event: ProjectEvent });
export const ReceiveResult = z.strictObject({
  event_id: Id,
  delivery_attempt_id: Id,
  acceptance: Acceptance,
  deduplicated: z.boolean(),
});

export const StatusParams = z.strictObject({ event_id: Id });
export const StatusResult = z.strictObject({
  event_id: Id,
  acceptance: Acceptance,
  processing_status: z.enum(["pending", "in_progress", "completed", "failed", "rejected"]),
  deliveries: z.int().min(1),
  updated_at: Timestamp,
  report_id: Id.exactOptional(),
  summary: text(1, 4096).exactOptional(),
  details: JsonObject.exactOptional(),
});

export const Decision = z.strictObject({
  kind: Name,
  summary: text(1, 4096),
  details: JsonObject.exactOptional(),
});

export const ManagementRequest = z.strictObject({ target: z.enum(["project", "task"]), transition: Name });

export const ReportParams = z.strictObject({
  event_id: Id,
  report_id: Id,
  outcome: z.enum(["completed", "failed", "rejected"]),
  decision: Decision,
  management_request: ManagementRequest.exactOptional(),
});
export const ReportResult = z.strictObject({
  event_id: Id,
  report_id: Id,
  report_status: z.literal("recorded"),
  management_acceptance: z.enum(["accepted", "rejected", "not_requested"]),
  reason: text(1, 4096).exactOptional(),
});
