// Preloaded by `bun test`: tests that start processes need longer than the default five seconds on a busy machine.
import { setDefaultTimeout } from "bun:test";

setDefaultTimeout(60_000);
