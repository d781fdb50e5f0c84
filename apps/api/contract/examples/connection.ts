/** How the connection to one server is protected. */
export const CONNECTION = {
  hop: 'web-1',
  key_exchange: 'mlkem768x25519-sha256',
  cipher: 'aes128-gcm@openssh.com',
  host_key_type: 'ssh-ed25519',
  server_version: 'OpenSSH_10.0p2 Debian-7',
  is_post_quantum: true,
};
