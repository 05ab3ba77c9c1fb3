import type { With } from "../deps.ts";
import type { Instance } from "../store/instance.ts";
import type { Keyring } from "./keyring.ts";
import { prepareSuccessors } from "./renew-agent.ts";
import { tellExpiringKeys } from "./tell-keys.ts";

type ToPrepareKeys = With<"agents" | "clock" | "exchange" | "log" | "randomBytes" | "store">;

/** The next agent keys, where this process can seal any; and whose API keys end soon is told. */
export function prepareKeys(deps: ToPrepareKeys, parts: { keyring?: Keyring; instance: Instance }): void {
  const { keyring, instance } = parts;
  tellExpiringKeys(deps);
  if (keyring !== undefined) prepareSuccessors({ ...deps, network: instance.network, keyring });
}
