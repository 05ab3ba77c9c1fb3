import { RECEIVER_KINDS } from "../../core/notice/notice.ts";
import { change, SEALING } from "../change.ts";
import { type Command, Misuse, required } from "../command.ts";
import { places } from "../directory.ts";
import { readTokenFile } from "../metrics.ts";
import { present } from "../output.ts";
import { OPERATING } from "../passphrase-input.ts";

export const noticeAdd: Command = {
  name: "notice add",
  summary: "tell somebody outside what needs a person: a webhook (Standard Webhooks), an ntfy topic or a Telegram chat",
  options: {
    name: { value: "NAME", help: "1 to 40 of a-z, 0-9 and -" },
    kind: { value: "KIND", help: "webhook, ntfy or telegram" },
    url: { value: "URL", help: "of a webhook or an ntfy topic" },
    "url-file": {
      value: "FILE",
      help: "the same out of a file, mode 0400 or 0600, where the address is a secret itself",
    },
    "token-file": { value: "FILE", help: "of ntfy or Telegram, mode 0400 or 0600; of a webhook it is made here" },
    chat: { value: "NUMBER", help: "of Telegram: the chat that is told" },
    commands: { value: null, help: "of Telegram: whoever writes in the chat may ask for status and stop, and no more" },
    "allow-private": { value: null, help: "addresses of a private network are allowed, and plain HTTP to them" },
    ...OPERATING,
  },
  positionals: [],
  async run(input, outside) {
    const kind = RECEIVER_KINDS.find((each) => each === required(input, "kind"));
    if (kind === undefined) throw new Misuse(`--kind is one of ${RECEIVER_KINDS.join(", ")}`);
    const [urlFile, tokenFile] = [input.value("url-file"), input.value("token-file")];
    const given = {
      name: required(input, "name"),
      kind,
      url: urlFile === null ? input.value("url") : readTokenFile(urlFile),
      token: tokenFile === null ? null : readTokenFile(tokenFile),
      chat: input.value("chat"),
      isPrivateAllowed: input.isSet("allow-private"),
      takesCommands: input.isSet("commands"),
    };
    const done = await change({ input, outside, at: places(input, outside) }, "add_receiver", given, SEALING);
    const { secret } = done;
    present({ input, outside }, done, [
      `${done.name} at ${done.host} is told what happens from now on.`,
      ...(secret === null ? [] : ["What its messages are signed with, shown this once:", `  ${secret}`]),
      `Try it:  postern notice test ${done.name}`,
    ]);
  },
};
