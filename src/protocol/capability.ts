/** Groups of operations and what both sides have of them (R34-R42). */

import { fail, type ProtocolError, type Result } from "./error.ts";
import type { Capability, NotificationMethod, ParamsOf, RequestMethod } from "./message.ts";
import { CAPABILITIES, SCHEMA_VERSION } from "./schema/connection.ts";
import { NOTIFICATIONS, REQUESTS } from "./schema/methods.ts";

export function isCapability(name: unknown): name is Capability {
  return CAPABILITIES.some((group) => group === name);
}

/** R39: groups that a local client or handler names are among the five, none twice. */
export function capabilitiesOf(given: unknown): Result<{ capabilities: readonly Capability[] }> {
  // Copied, because `every` skips the holes of an array.
  const groups: readonly unknown[] | null = Array.isArray(given) ? [...given] : null;
  if (!groups?.every(isCapability) || new Set(groups).size !== groups.length) {
    return fail("invalid_argument", "capabilities must be distinct names of defined groups");
  }
  return { ok: true, capabilities: sorted(groups) };
}

/** R41: all request methods of the given groups. */
export function methodsOf(groups: readonly Capability[]): RequestMethod[] {
  // The keys of the table are exactly its methods.
  const all = Object.keys(REQUESTS) as RequestMethod[];
  return all.filter((method) => groups.some((group) => group === REQUESTS[method].group));
}

export function groupOfRequest(method: RequestMethod): Capability | null {
  return REQUESTS[method].group;
}

export function groupOfNotification(method: NotificationMethod): Capability {
  return NOTIFICATIONS[method].group;
}

/** R36-R38: the host's selection; `connection/initialize` belongs to no group and needs none. */
export function select(
  offer: ParamsOf<"connection/initialize">,
  own: readonly Capability[],
): Result<{ selected: readonly Capability[] }> {
  if (!offer.versions.includes(SCHEMA_VERSION)) {
    return fail("unsupported_version", `version ${SCHEMA_VERSION} is not among those offered`);
  }
  const missing = (offer.required_capabilities ?? []).some((name) => !own.some((group) => group === name));
  if (missing) return fail("unsupported_capability", "a required group is not available");
  const offered = new Set(offer.capabilities);
  return { ok: true, selected: sorted(own.filter((group) => offered.has(group))) };
}

/** R42: null where the group is negotiated or none is needed. */
export function refusal(group: Capability | null, negotiated: readonly Capability[]): ProtocolError | null {
  if (group === null || negotiated.includes(group)) return null;
  return fail("unsupported_capability", `${group} is not negotiated on this connection`).error;
}

export function sorted(groups: readonly Capability[]): readonly Capability[] {
  return Object.freeze([...groups].sort());
}
