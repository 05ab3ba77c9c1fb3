/** What a scene asks of a bot, as it stands in the environment; see src/paper/README.md. */

export type Asked = {
  task: string;
  url: string;
  webSocketUrl: string;
  account: `0x${string}`;
  privateKey: `0x${string}`;
  market: string;
  side: "buy" | "sell";
  isBuy: boolean;
  /** Empty for the task `close`. */
  size: string;
  price: string;
  newPrice: string;
  stopPrice: string;
  takeProfitPrice: string;
};

export function readAsked(): Asked {
  const word = (name: string) => process.env[`SCENE_${name}`] ?? "";
  const isBuy = word("SIDE") === "buy";
  return {
    task: word("TASK"),
    url: word("URL"),
    webSocketUrl: word("WS_URL"),
    // The runner gives both in the exchange's form.
    account: word("ACCOUNT") as `0x${string}`,
    privateKey: word("PRIVATE_KEY") as `0x${string}`,
    market: word("MARKET"),
    side: isBuy ? "buy" : "sell",
    isBuy,
    size: word("SIZE"),
    price: word("PRICE"),
    newPrice: word("NEW_PRICE"),
    stopPrice: word("STOP_PRICE"),
    takeProfitPrice: word("TAKE_PROFIT_PRICE"),
  };
}

/** How a bot ends: done as asked, or not and with what it knows. */
export type End = { isDone: boolean; position?: string | null; open?: string | null };

const GAVE_UP = 3;
const NO_SUCH_TASK = 77;

export function sayEnd({ isDone, position, open }: End): never {
  if (position !== undefined || open !== undefined) console.log(JSON.stringify({ position, open }));
  process.exit(isDone ? 0 : GAVE_UP);
}

export function sayNoSuchTask(): never {
  process.exit(NO_SUCH_TASK);
}

/** A size with the sign of the side. */
export function signed({ isBuy }: Asked, size: string): string {
  return isBuy || Number(size) === 0 ? size : `-${size}`;
}
