/** A `curl` line as the request that it makes: what a shell would make of its quotes and variables, and no more. */
export function curlRequest(line: string, variables: Readonly<Record<string, string>>): Request {
  const [program, ...words] = shellWords(line, variables);
  if (program !== "curl") throw new Error(`not a curl line: ${line}`);
  const headers = new Headers();
  let url = "";
  let body: string | null = null;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "-s") continue;
    if (word !== "-H" && word !== "-d") {
      url = word;
      continue;
    }
    at += 1;
    const value = words[at] ?? "";
    const colon = value.indexOf(": ");
    if (word === "-d") body = value;
    else headers.set(value.slice(0, colon), value.slice(colon + 2));
  }
  return new Request(url, body === null ? { headers } : { headers, method: "POST", body });
}

/** Words of a line: '…' as it is, "…" and bare text with `$NAME` replaced; pieces that touch are one word. */
function shellWords(line: string, variables: Readonly<Record<string, string>>): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    const pieces = [...word.matchAll(/'([^']*)'|"([^"]*)"|([^'"]+)/g)];
    words.push(pieces.map(([, literal, quoted, bare]) => literal ?? expand(quoted ?? bare ?? "", variables)).join(""));
  }
  return words;
}

function expand(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$([A-Z_]+)/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`$${name} is not set`);
    return value;
  });
}
