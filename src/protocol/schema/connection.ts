/** Initialization and cancellation (R34-R40, R53). */

import { z } from "zod";
import { distinct, Id, text } from "./scalar.ts";

/** The five groups (section 5), in their sorted order. */
export const CAPABILITIES = [
  "approvals.v1",
  "cancellation.v1",
  "project_events.v1",
  "sessions.v1",
  "streaming.v1",
] as const;
export const Capability = z.enum(CAPABILITIES);

/** The only version that is spoken (R3). */
export const SCHEMA_VERSION = "1.0";

const OfferedVersion = z.string().regex(/^(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})$/);
const OfferedCapability = z.string().regex(/^[a-z][a-z0-9_]{0,62}\.v[1-9][0-9]{0,3}$/);
const Offer = distinct(OfferedCapability, 0, 64);

export const InitializeParams = z
  .strictObject({
    versions: distinct(OfferedVersion, 1, 16),
    capabilities: Offer,
    required_capabilities: Offer.exactOptional(),
  })
  .refine(({ capabilities, required_capabilities = [] }) => {
    const offered = new Set(capabilities);
    return required_capabilities.every((group) => offered.has(group));
  });

export const InitializeResult = z.strictObject({
  version: z.literal(SCHEMA_VERSION),
  capabilities: distinct(Capability, 0, CAPABILITIES.length),
  connection_id: Id,
});

export const CancelParams = z.strictObject({ request_id: Id, reason: text(1, 1024).exactOptional() });
export const CancelResult = z.strictObject({
  request_id: Id,
  status: z.enum(["requested", "already_finished"]),
});
