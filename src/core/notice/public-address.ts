import { isWithin } from "../rails/networks.ts";

/** What no notice may be sent to unless the operator says so: this machine, its neighbours, and where clouds keep their secrets. */
const NOT_PUBLIC = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  // Inside 2000::/3, which is all of IPv6 that is public.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
];

const EVERY_IPV4 = ["0.0.0.0/0"];
const PUBLIC_IPV6 = ["2000::/3"];

/** Whether anybody on the internet could be meant by it; false for what is no address. */
export function isPublicAddress(address: string): boolean {
  const isKnown = isWithin(address, EVERY_IPV4) || isWithin(address, PUBLIC_IPV6);
  return isKnown && !isWithin(address, NOT_PUBLIC);
}

/** Where the machine itself answers what its secrets are, in every cloud: never, whatever the operator says. */
export function isMetadataAddress(address: string): boolean {
  return isWithin(address, ["169.254.0.0/16", "fd00:ec2::254/128"]) || address.toLowerCase().startsWith("::ffff:");
}
