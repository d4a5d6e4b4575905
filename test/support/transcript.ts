/**
 * Transcripts: a project, commands run on it, and everything that came of each, as one text. A transcript is played by
 * running its commands and writing down what happens now; it holds when that gives the same text. Lines:
 *
 *     # words                       nothing
 *     project NAME                  a fresh copy of fixtures/projects/NAME
 *     write PATH "TEXT"             a file; TEXT is a JSON string
 *     replace PATH "FROM" "TO"      the one occurrence of FROM in a file
 *     remove PATH                   a file or an empty folder
 *     folder PATH
 *     mode PATH 640
 *     symlink PATH TARGET           PATH becomes a link
 *     hardlink PATH TARGET          PATH becomes another name
 *     $ semaprax ARGUMENTS [< "TEXT"] [in FOLDER]
 *
 * and after a command `1> ` and `2> ` before each line of stdout and stderr (`1\ ` where a last line has no LF),
 * `changed PATH` for each file that is not as before, `=> STATUS`; after `show PATH`, `| ` before each line of the file.
 */
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { run } from "./daemon-process.ts";
import { type CommandResult, runInProcess } from "./memory-io.ts";
import { copyProject } from "./projects.ts";

export const LAUNCHER = join(import.meta.dir, "..", "..", "src", "main", "semaprax");
const RESULT_LINE = /^([12][>\\]|\|[ \\]|\|$|changed |=> )/;

/** Runs `semaprax` in a folder with a text as stdin. */
export type Runner = (folder: string, argv: readonly string[], stdin: string) => Promise<CommandResult>;

/** As a real process. */
export const runAsProcess: Runner = (folder, argv, stdin) =>
  run([LAUNCHER, ...argv], folder, stdin, { PATH: process.env["PATH"] });

/** In this process; its working directory is the folder meanwhile. */
export const runHere: Runner = async (folder, argv, stdin) => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return runInProcess(argv, { stdin });
  } finally {
    process.chdir(before);
  }
};

/** The transcript with what happens now in place of what it says happened. */
export async function playTranscript(text: string, runner: Runner): Promise<string> {
  const played: string[] = [];
  let root = "";
  for (const line of text.split("\n")) {
    if (RESULT_LINE.test(line)) continue;
    played.push(line);
    const [word = "", ...rest] = wordsOf(line);
    if (word === "project") root = copyProject(rest[0] ?? "");
    else if (word === "$") played.push(...(await playCommand(root, rest, runner)));
    else if (word === "show") played.push(...shownLines("| ", "|\\ ", readText(root, rest[0] ?? "")));
    else if (word !== "" && word !== "#") prepare(root, word, rest);
  }
  return played.join("\n");
}

async function playCommand(root: string, words: readonly string[], runner: Runner): Promise<string[]> {
  const folder = words.at(-2) === "in" ? (words.at(-1) ?? "") : "";
  const command = folder === "" ? words : words.slice(0, -2);
  const input = command.at(-2) === "<" ? (command.at(-1) ?? "") : "";
  const argv = (command.at(-2) === "<" ? command.slice(0, -2) : command).slice(1);
  const before = inventory(root);
  const { status, stdout, stderr } = await runner(
    join(root, folder),
    argv.map((argument) => argument.replaceAll("{{root}}", root)),
    input,
  );
  const after = inventory(root);
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return [
    ...shownLines("1> ", "1\\ ", stdout.replaceAll(root, "{{root}}")),
    ...shownLines("2> ", "2\\ ", stderr.replaceAll(root, "{{root}}")),
    ...paths.filter((path) => before.get(path) !== after.get(path)).map((path) => `changed ${path}`),
    `=> ${status}`,
  ];
}

/** What the lines that change a project do with a path and up to two further words. */
const PREPARATIONS: Readonly<
  Record<string, (root: string, path: string, first: string, second: string) => void>
> = {
  write(root, path, text) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  },
  replace(root, path, from, to) {
    const parts = readText(root, path).split(from);
    if (parts.length !== 2)
      throw new Error(`${JSON.stringify(from)} stands ${parts.length - 1} times in ${path}`);
    writeFileSync(join(root, path), parts.join(to));
  },
  remove: (root, path) => rmSync(join(root, path), { recursive: lstatSync(join(root, path)).isDirectory() }),
  folder: (root, path) => mkdirSync(join(root, path), { recursive: true }),
  mode: (root, path, octal) => chmodSync(join(root, path), Number.parseInt(octal, 8)),
  symlink: (root, path, target) => symlinkSync(target, join(root, path)),
  hardlink: (root, path, target) => linkSync(join(root, target), join(root, path)),
};

function prepare(root: string, word: string, [path = "", first = "", second = ""]: readonly string[]): void {
  const preparation = PREPARATIONS[word];
  if (preparation === undefined) throw new Error(`unknown line: ${word}`);
  preparation(root, path, first, second);
}

/** What identifies the content and the file of each path: a file that was rewritten with its own bytes differs too. */
function inventory(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    const stats = lstatSync(join(root, path), { bigint: true });
    const facts = stats.isFile() ? [stats.ino, stats.mtimeNs, stats.size] : [];
    found.set(path, [stats.mode, ...facts].join(" "));
  }
  return found;
}

function readText(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function shownLines(prefix: string, openPrefix: string, text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const shown = lines.map((line) => (line === "" ? prefix.trimEnd() : prefix + line));
  return last === "" ? shown : [...shown, openPrefix + last];
}

/** Words between blanks; one that begins with `"` is a JSON string. */
function wordsOf(line: string): string[] {
  const words = line.startsWith("#") ? [] : (line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []);
  return words.map((word) => (word.startsWith('"') ? String(JSON.parse(word)) : word));
}
