import { createServer, type Server, type TLSSocket, type TlsOptions } from "node:tls";

/** Made with `openssl req -x509 -newkey ec` for `localhost`, valid to 2126; protects nothing. */
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqqfGSavX7WbCqiNo
HrzVSJIpe1zVdVFT8/e8zLM2EGGhRANCAAQGIthslEhsueMERvhDWcKXoNGZBuTX
D33HfqvXAqSSmFEpkZY1IuGd4BazXjxYTuvkK8GiE9t0vEHeaj7P6SQK
-----END PRIVATE KEY-----
`;
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBljCCATugAwIBAgIUaRpZLFgp1AFsZCnk5zN7a1JxTqIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0NTE1OVoYDzIxMjYxMDI4
MDQ1MTU5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQGIthslEhsueMERvhDWcKXoNGZBuTXD33HfqvXAqSSmFEpkZY1IuGd
4BazXjxYTuvkK8GiE9t0vEHeaj7P6SQKo2kwZzAdBgNVHQ4EFgQUmBvPSUjffaQv
Vzvtte9DQljwqpAwHwYDVR0jBBgwFoAUmBvPSUjffaQvVzvtte9DQljwqpAwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SQAwRgIhALgsLodhqCyMYpkl0FevMab8/Wk8VLn8NS7FLq00OEwxAiEAm1pGQqkF
XjXpoxwAtobT3XcKDpQDMvLR2HhzOOE+tvk=
-----END CERTIFICATE-----
`;

export type TlsServer = {
  server: Server;
  /** Bytes that arrived inside the encrypted stream. */
  received: () => number;
  /** Of the last client that came through the handshake. */
  client: () => TLSSocket | null;
};

export function tlsServer(onData: (socket: TLSSocket) => void, options: TlsOptions = {}): TlsServer {
  let byteCount = 0;
  let client: TLSSocket | null = null;
  const server = createServer({ key: KEY, cert: CERTIFICATE, ...options }, (socket) => {
    client = socket;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      byteCount += data.byteLength;
      onData(socket);
    });
  });
  server.on("tlsClientError", () => {});
  return { server, received: () => byteCount, client: () => client };
}
