/** What the usual clients take to start a server of tools; none of it holds a key. */
export const CLIENTS = ["claude-code", "codex", "json", "vscode", "zed"] as const;
export type McpClient = (typeof CLIENTS)[number];

/** `json` is what most take: Claude Desktop, Cursor, Windsurf, Gemini CLI, Cline, LM Studio. */
export function configurationFor(client: McpClient, [command = "postern", ...args]: readonly string[]): string {
  const server = { command, args };
  switch (client) {
    case "claude-code":
      return `claude mcp add postern -- ${[command, ...args].map(quoted).join(" ")}\n`;
    case "codex":
      // A string of JSON is one of TOML.
      return `[mcp_servers.postern]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
    case "vscode":
      return json({ servers: { postern: { type: "stdio", ...server } } });
    case "zed":
      return json({ context_servers: { postern: server } });
    case "json":
      return json({ mcpServers: { postern: server } });
  }
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** For a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
