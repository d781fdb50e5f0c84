/** What ssh2 can do with this Node and its OpenSSL; it throws when it is given anything else to offer. */
declare module 'ssh2/lib/protocol/constants.js' {
  const constants: {
    readonly SUPPORTED_KEX: readonly string[];
    readonly SUPPORTED_SERVER_HOST_KEY: readonly string[];
    readonly SUPPORTED_CIPHER: readonly string[];
    readonly SUPPORTED_MAC: readonly string[];
  };
  export = constants;
}
