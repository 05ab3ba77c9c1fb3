/** The two ends of a terminal, as `process.stdin` and `process.stderr` are. */
export type Terminal = {
  input: {
    setRawMode(isRaw: boolean): unknown;
    resume(): unknown;
    pause(): unknown;
    on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
    off(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  };
  output: { write(text: string): unknown };
};

/** Most characters that are taken. */
const MAX_CHARACTERS = 1024;

const LINE_FEED = "\n";
const CARRIAGE_RETURN = "\r";
const CONTROL_C = "\u0003";
const CONTROL_D = "\u0004";
const BACKSPACE = "\u0008";
const DELETE = "\u007f";

/** Asks for one line without showing it. Rejects when the user gives up with control-C or control-D. */
export function promptHidden(terminal: Terminal, question: string): Promise<string> {
  const { input, output } = terminal;
  const decoder = new TextDecoder();
  let line: TypedLine = { typed: [], end: null };
  output.write(question);
  input.setRawMode(true);
  input.resume();
  return new Promise((resolve, reject) => {
    function listen(chunk: Uint8Array): void {
      for (const character of decoder.decode(chunk, { stream: true })) line = next(line, character);
      if (line.end === null) return;
      input.off("data", listen);
      input.setRawMode(false);
      input.pause();
      output.write("\n");
      if (line.end === "entered") resolve(line.typed.join(""));
      else reject(new Error("no passphrase given"));
    }
    input.on("data", listen);
  });
}

type TypedLine = { typed: readonly string[]; end: "entered" | "given_up" | null };

function next(line: TypedLine, character: string): TypedLine {
  // What follows the end of the line in the same chunk is not ours.
  if (line.end !== null) return line;
  switch (character) {
    case LINE_FEED:
    case CARRIAGE_RETURN:
      return { ...line, end: "entered" };
    case CONTROL_C:
    case CONTROL_D:
      return { ...line, end: "given_up" };
    case BACKSPACE:
    case DELETE:
      return { ...line, typed: line.typed.slice(0, -1) };
    default:
      return line.typed.length < MAX_CHARACTERS ? { ...line, typed: [...line.typed, character] } : line;
  }
}
