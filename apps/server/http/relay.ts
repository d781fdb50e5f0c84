import type { WSEvents } from 'hono/ws';
import { WebSocket } from 'ws';
import type { RawSocket, RelayOptions } from '#api/http/env.ts';
import { closeReason, errorFrame } from '#api/http/refuse.ts';
import { type Pings, startPings } from '#api/http/socket.ts';
import { Fault } from '#core/errors.ts';
import { isConnectionRefused } from '#core/lib/errors/connection-refused.ts';
import { TERMINAL_SUBPROTOCOL } from '#core/model/terminal.ts';
import { systemClock } from '../lib/clock.ts';

const HANDSHAKE_MS = 10_000;
const MAX_PENDING_BYTES = 1024 * 1024; // per direction; beyond this the sending side is paused
const BACKLOG_BYTES = 64 * 1024;
const EARLY_BYTES = 64 * 1024;

export interface Relays {
  /** Connects this socket with one to `url`, with back-pressure in both directions. */
  relayTo(url: URL, options: RelayOptions): WSEvents<RawSocket>;
  /** This instance is about to stop: the clients resume their terminals, which run elsewhere, through another one. */
  end(): void;
}

export function createRelays(): Relays {
  const relays = new Set<Relay>();
  return {
    relayTo(url, { headers, whenRefused }) {
      let relay: Relay | undefined;
      return {
        onOpen(_event, { raw }) {
          if (!raw) return;
          const up = new Upstream(url, [TERMINAL_SUBPROTOCOL], { headers, ...UPSTREAM });
          relay = new Relay(raw, up, whenRefused);
          relays.add(relay);
        },
        onMessage({ data }) {
          if (typeof data === 'string') relay?.up(data, false);
          else if (!(data instanceof Blob)) relay?.up(new Uint8Array(data), true);
        },
        onClose({ code }) {
          if (!relay) return;
          relays.delete(relay);
          relay.left(code);
        },
      };
    },
    end() {
      for (const relay of relays) relay.leave();
    },
  };
}

const UPSTREAM = { handshakeTimeout: HANDSHAKE_MS, perMessageDeflate: false, maxPayload: 16 * 1024 * 1024 };

/** Reports its peer's close instead of answering it at once: only the client knows when it has received everything. */
class Upstream extends WebSocket {
  onClosing: (code: number, reason: string) => void = () => undefined;

  /** Called only by `ws`, when the peer closes. */
  override close(code = 1005, reason: string | Buffer = ''): void {
    this.onClosing(code, reason.toString());
  }

  finish(code: number): void {
    super.close(code);
  }
}

class Relay {
  readonly #down: RawSocket;
  readonly #up: Upstream;
  #early: { data: Uint8Array | string; binary: boolean }[] = [];
  #early_bytes = 0;
  #up_pending = 0;
  #down_pending = 0;
  #has_opened = false;
  readonly #down_pings: Pings;
  readonly #up_pings: Pings;
  #up_state = { is_read: true, is_backed_up: false };
  #is_over = false;
  #is_ending = false; // the other instance has closed its socket

  constructor(down: RawSocket, up: Upstream, whenRefused: () => Fault) {
    this.#down = down;
    this.#up = up;
    // Both ends need pings of their own: the relay itself answers those of its peers.
    this.#down_pings = startPings(down, systemClock.after);
    this.#up_pings = startPings(pingable(up), systemClock.after);
    up.on('open', () => this.#opened());
    up.on('message', (data: Buffer, binary) => this.#toClient(data, binary));
    let fault = () => new Fault('instance_unreachable');
    up.on('error', (error) => {
      if (isConnectionRefused(error)) fault = whenRefused; // `close` follows
    });
    up.onClosing = (code, reason) => this.#ending(code, reason);
    up.on('close', () => this.#breakOff(fault));
  }

  up(data: Uint8Array | string, binary: boolean): void {
    if (!this.#has_opened) {
      this.#keep(data, binary);
      return;
    }
    this.#up_pending += data.length;
    if (this.#up_pending > MAX_PENDING_BYTES) this.#readDown(false);
    if (this.#up_pending > BACKLOG_BYTES) this.#updateUpPings({ is_backed_up: true });
    const sent = this.#up_pings.whenSent(() => {
      this.#up_pending -= data.length;
      if (this.#up_pending > 0) return;
      this.#updateUpPings({ is_backed_up: false });
      this.#readDown(true);
    });
    this.#up.send(data, { binary }, sent);
  }

  /** A dropped connection stays a drop: only a deliberate close ends the shell. */
  left(code: number): void {
    this.#is_over = true;
    this.#stopPings();
    if (this.#is_ending && isSendable(code)) this.#up.finish(code);
    else if (code !== 1000) this.#up.terminate();
    else if (this.#has_opened) this.#up.finish(1000);
    else this.#up.once('open', () => this.#up.finish(1000));
  }

  #readDown(reads: boolean): void {
    this.#down_pings.suspend(!reads);
    if (reads) this.#down.resume();
    else this.#down.pause();
  }

  #readUp(reads: boolean): void {
    if (this.#up.readyState !== WebSocket.OPEN) return;
    this.#updateUpPings({ is_read: reads });
    if (reads) this.#up.resume();
    else this.#up.pause();
  }

  /** While the socket is paused or backed up, a pong cannot arrive in time. */
  #updateUpPings(change: { is_read?: boolean; is_backed_up?: boolean }): void {
    const before = isDeaf(this.#up_state);
    this.#up_state = { ...this.#up_state, ...change };
    const is_deaf = isDeaf(this.#up_state);
    if (is_deaf !== before) this.#up_pings.suspend(is_deaf);
  }

  #stopPings(): void {
    this.#down_pings.stop();
    this.#up_pings.stop();
  }

  #keep(data: Uint8Array | string, binary: boolean): void {
    this.#early_bytes += data.length + 64;
    if (this.#early_bytes > EARLY_BYTES) this.#readDown(false);
    this.#early.push({ data, binary });
  }

  #opened(): void {
    this.#has_opened = true;
    if (this.#is_over) return;
    for (const { data, binary } of this.#early.splice(0)) this.up(data, binary);
    if (this.#up_pending === 0) this.#readDown(true);
  }

  #toClient(data: Buffer, binary: boolean): void {
    this.#down_pending += data.length;
    if (this.#down_pending > MAX_PENDING_BYTES) this.#readUp(false);
    const sent = this.#down_pings.whenSent(() => {
      this.#down_pending -= data.length;
      if (this.#down_pending === 0) this.#readUp(true);
    });
    this.#down.send(binary ? data : data.toString(), { binary }, sent);
  }

  #ending(code: number, reason: string): void {
    if (this.#is_over || !isSendable(code)) {
      this.#up.terminate();
      return;
    }
    this.#is_ending = true;
    this.#up_pings.stop();
    this.#readDown(true); // to receive the answer to the close
    this.#down.close(code, reason);
  }

  /** For the other instance this is a drop, so the terminal keeps running. */
  leave(): void {
    this.#breakOff(() => new Fault('relay_stopped'));
    this.#up.terminate();
  }

  #breakOff(toFault: () => Fault): void {
    if (this.#is_over || this.#is_ending) return;
    this.#is_over = true;
    this.#stopPings();
    this.#down.resume();
    const fault = toFault();
    this.#down.send(JSON.stringify(errorFrame(fault)), { binary: false }, () => undefined);
    this.#down.close(fault.close_code, closeReason(fault));
  }
}

const isDeaf = (up: { is_read: boolean; is_backed_up: boolean }) => !up.is_read || up.is_backed_up;

/** Sends no ping while the socket is still opening. */
function pingable(up: WebSocket) {
  return {
    on: (event: 'pong' | 'message', listener: () => void) => up.on(event, listener),
    ping: () => {
      if (up.readyState === WebSocket.OPEN) up.ping();
    },
    terminate: () => up.terminate(),
  };
}

/** Codes that a peer may send (RFC 6455 §7.4); the others mean that the connection broke. */
function isSendable(code: number): boolean {
  return code >= 1000 && code !== 1004 && code !== 1005 && code !== 1006 && code !== 1015;
}
