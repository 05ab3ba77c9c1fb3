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
const EVERY_ADDRESS = [...EVERY_IPV4, "::/0"];
const PUBLIC_IPV6 = ["2000::/3"];

/** Whether anybody on the internet could be meant by it; false for what is no address. */
export function isPublicAddress(address: string): boolean {
  const isKnown = isWithin(address, EVERY_IPV4) || isWithin(address, PUBLIC_IPV6);
  return isKnown && !isWithin(address, NOT_PUBLIC);
}

/** Where the machine itself is told its secrets, by the documents of the clouds that do so, and what is on its own cable. */
const METADATA = [
  "169.254.0.0/16",
  // Alibaba, Azure, Oracle.
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  // Amazon, Google, Scaleway.
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
  "fd00:42::42/128",
  "fe80::/10",
];

/** IPv6 that stands for an address of IPv4, by which translator it may be: which one is behind it is not ours to know. */
const OTHER_SPELLINGS = [
  "::a9fe:0/112",
  "::ffff:0:0/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "2001::/32",
  "2002::/16",
];

/** Never sent to, whatever the operator says: what may be where the machine is told its secrets, and what is no address. */
export function isMetadataAddress(address: string): boolean {
  const isAddress = isWithin(address, EVERY_ADDRESS);
  return !isAddress || isWithin(address, [...METADATA, ...OTHER_SPELLINGS]);
}
