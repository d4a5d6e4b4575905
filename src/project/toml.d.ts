/** The string reader alone: the package's main module also loads stream classes, which cost ten times as much. */
declare module "@iarna/toml/parse-string.js" {
  const parse: (text: string) => unknown;
  export default parse;
}
