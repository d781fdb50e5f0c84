import type { SshTarget } from './ssh.ts';

/** A TCP connection from a host to another address. Each direction ends by itself; its user sets the pace. */
export interface Tunnel {
  /** Closes when the other side sends no more; errors with a Fault when the connection to the host is lost. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Closing it tells the other side that nothing more comes; aborting it ends the tunnel. */
  readonly writable: WritableStream<Uint8Array>;
  /** Resolves when the channel is closed, whatever the reason; a tunnel that was aborted does not wait for the host. */
  readonly closed: Promise<void>;
}

export interface Address {
  /** Resolved by the host. */
  readonly hostname: string;
  readonly port: number;
}

export interface TunnelOptions {
  /** Aborting ends the tunnel at any time. */
  readonly signal: AbortSignal;
  /** Who connects, as the host is told; the gateway itself by default. */
  readonly from?: Address | undefined;
}

export interface Tunnels {
  /**
   * Over the pooled connection of the target, which stays open as long as the tunnel. Throws `permission_denied` when the host
   * does not forward, and `host_unreachable` when it cannot connect to the address.
   */
  open(target: SshTarget, to: Address, options: TunnelOptions): Promise<Tunnel>;
}
