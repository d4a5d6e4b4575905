import { utf8 } from "../../kernel/bytes.ts";
import { type Method, resultAnswer } from "../method.ts";
import { rendered } from "../response.ts";

/** That somebody is there (D34, D37). */
export const ping: Method = {
  name: "ping",
  takesParameters: false,
  answer: ({ state }) => resultAnswer(rendered(utf8(`{"pong":true,"state":"${state}"}`))),
};
