/** What ssh2 supports with this Node and OpenSSL; it throws when asked to offer anything else. */
declare module 'ssh2/lib/protocol/constants.js' {
  const constants: {
    readonly SUPPORTED_KEX: readonly string[];
    readonly SUPPORTED_SERVER_HOST_KEY: readonly string[];
    readonly SUPPORTED_CIPHER: readonly string[];
    readonly SUPPORTED_MAC: readonly string[];
  };
  export = constants;
}

/** One side of a connection without its socket. */
declare module 'ssh2/lib/protocol/Protocol.js' {
  class Protocol {
    constructor(config: object);
    start(): void;
    parse(chunk: Buffer, from: number, to: number): void;
    cleanup(): void;
  }
  export = Protocol;
}

declare module 'ssh2/lib/Channel.js' {
  const file: { readonly Channel: new (client: object, info: object) => object };
  export = file;
}
