/** 127.0.0.0/8, ::1 and `localhost`: what never leaves the machine. An IPv6 address comes without its brackets. */
export function isLoopback(hostname: string): boolean {
  return /^127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$/.test(hostname) || ["::1", "localhost"].includes(hostname);
}
