/** What the part behind `#` says: a screen, an API key to sign in with, or a set-up link. It never reaches a server. */
import type { ScreenRoute } from "./state.ts";

export type Fragment = { route: ScreenRoute; key: string | null; link: string | null };

const HOME: ScreenRoute = { screen: "now", argument: "" };
/** What leads to the first screen, and the jump to the content, which a browser may open in a window of its own. */
const HOMES = new Set(["", "/", "main"]);

/** Screens by what they were called before. */
const FORMER: ReadonlyMap<string, string> = new Map([
  ["orders", "history"],
  ["keys", "bots"],
]);

/** A secret is removed from the address bar, and from the window's history, before anything else is done. */
export function takeFragment(): Fragment {
  const fragment = parseFragment(location.hash);
  if (fragment.key !== null || fragment.link !== null) history.replaceState(null, "", location.pathname);
  return fragment;
}

export function parseFragment(hash: string): Fragment {
  const text = hash.replace(/^#/, "");
  if (text.startsWith("key=")) return { route: HOME, key: text.slice(4), link: null };
  if (text.startsWith("setup=")) return { route: HOME, key: null, link: text.slice(6) };
  if (HOMES.has(text)) return { route: HOME, key: null, link: null };
  const [root, screen = "", ...rest] = text.split("/");
  // Told apart by what no screen is called: `#trade` is not `#/trade`.
  const called = FORMER.get(screen) ?? screen;
  return { route: { screen: root === "" ? called : `#${text}`, argument: rest.join("/") }, key: null, link: null };
}
