/** Chapters of the description as HTML: as much of Markdown as they use, and nothing that could be a tag or a link. */

const FENCE = /^```[a-z]*$/m;

export function chapter(markdown: string): string {
  const parts = markdown.split(FENCE);
  return parts.map((part, index) => (index % 2 === 1 ? `<pre>${escaped(part.trim())}</pre>` : blocks(part))).join("\n");
}

function blocks(text: string): string {
  const parts = text.split("\n\n").map((part) => part.trim());
  return parts.flatMap((part) => (part === "" ? [] : [block(part)])).join("\n");
}

function block(text: string): string {
  const lines = text.split("\n");
  if (text.startsWith("## ")) return `<h2>${prose(text.slice("## ".length))}</h2>`;
  if (text.startsWith("- ")) {
    return `<ul>${lines.map((line) => `<li>${prose(line.slice("- ".length))}</li>`).join("")}</ul>`;
  }
  return text.startsWith("| ") ? table(lines) : `<p>${prose(text)}</p>`;
}

/** The second line only parts the head from the rest. */
function table([head = "", , ...rows]: readonly string[]): string {
  const row = (line: string, tag: "th" | "td") =>
    `<tr>${line
      .slice(1, -1)
      .split("|")
      .map((cell) => `<${tag}>${prose(cell.trim())}</${tag}>`)
      .join("")}</tr>`;
  return `<table>${row(head, "th")}${rows.map((line) => row(line, "td")).join("")}</table>`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Text whose `words in backquotes` are code. */
export function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
