import { change, SEALING } from "../change.ts";
import { type Command, Misuse, required } from "../command.ts";
import { places } from "../directory.ts";
import { present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";

const KINDS = ["main", "subaccount", "vault", "copy"] as const;

export const accountAdd: Command = {
  name: "account add",
  summary: "add an account: another owner's, or a sub-account, vault or copy wallet of one there is",
  options: {
    label: { value: "TEXT", help: "a name for people" },
    kind: { value: "KIND", help: `${KINDS.join(", ")}; main by default` },
    address: { value: "0x…", help: "the owner's address of a main account, else the trading address" },
    parent: { value: "ID", help: "main account that a sub-account, vault or copy wallet belongs to" },
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const kind = KINDS.find((known) => known === (input.value("kind") ?? "main"));
    if (kind === undefined) throw new Misuse(`--kind is one of ${KINDS.join(", ")}`);
    const parentId = input.value("parent");
    if ((kind === "main") !== (parentId === null)) throw new Misuse("--parent is for every kind but main");
    const facts = { label: required(input, "label"), kind, address: required(input, "address"), parentId };
    const made = await change({ input, outside, at: places(input, outside) }, "add_account", facts, SEALING);
    const shown = { id: made.id, label: made.label, kind: made.kind, owner: made.ownerAddress };
    present({ input, outside }, { ...shown, trading_address: made.tradingAddress }, [
      `Account ${made.id}`,
      "",
      ...(kind === "main"
        ? ["Next, an agent key of its own, which its owner approves:", `  postern agent rotate --account ${made.id}`]
        : [
            "Its owner's agent signs for it as well. Next, an API key for it, which its owner grants:",
            "  postern key new",
          ]),
    ]);
  },
};
