import { randomFillSync } from 'node:crypto';
import { returned } from '#core/lib/bytes/returned-memory.ts';
import type { Clock } from '#core/ports/runtime.ts';

const CAPACITY_BYTES = 33 * 1024; // a packet with the most data that sshd takes in one: 32 KiB
const MIN_PAYLOAD_BYTES = 8 * 1024; // smaller ones come cheaper from Node's own pool
const MOST_KEPT = 128; // 4 MiB
const IDLE_MS = 1000;

const LENGTH_BYTES = 4;
const HEAD_BYTES = LENGTH_BYTES + 1; // with the length of the padding
const MIN_PADDING_BYTES = 4;
const TAG_BYTES = 16; // of both ciphers

/** The ciphers of ssh2 that encrypt a packet where it is. Block sizes: RFC 5647 §7.2, OpenSSH's PROTOCOL.chacha20poly1305. */
const BLOCK_BYTES: Readonly<Record<string, number>> = { AESGCMCipherBinding: 16, ChaChaPolyCipherBinding: 8 };

export interface Cipher {
  allocPacket(payload_bytes: number): Buffer;
}

/** Memory for the large packets of one connection. No other connection is ever lent the same memory. */
export interface PacketPool {
  /**
   * Lets the cipher take the memory of large packets from those that were sent. In an upload, a quarter of the CPU time
   * went into collecting one buffer per packet.
   */
  supply(cipher: Cipher): void;
  /** Call it once the packet has been sent. */
  sent(bytes: Uint8Array): void;
}

export function createPacketPool({ after }: Pick<Clock, 'after'>): PacketPool {
  const kept: ArrayBuffer[] = [];
  const ours = new WeakSet<ArrayBufferLike>();
  let is_used = false;
  let is_watched = false;

  /** An upload is over: an idle connection keeps no memory. */
  function watch(): void {
    is_watched = true;
    is_used = false;
    after(IDLE_MS, () => {
      is_watched = false;
      if (is_used) watch();
      else kept.length = 0;
    });
  }

  function take(): ArrayBuffer {
    is_used = true;
    const memory = kept.pop() ?? new ArrayBuffer(CAPACITY_BYTES);
    ours.add(memory);
    return memory;
  }

  return {
    supply(cipher) {
      const block_bytes = BLOCK_BYTES[cipher.constructor.name];
      if (block_bytes === undefined) return;
      const allocate = cipher.allocPacket.bind(cipher);
      cipher.allocPacket = (payload_bytes) => {
        const size = sizeOf(payload_bytes, block_bytes);
        const is_large =
          payload_bytes >= MIN_PAYLOAD_BYTES && size.packet_bytes + TAG_BYTES <= CAPACITY_BYTES;
        return is_large ? packet(take(), payload_bytes, size) : allocate(payload_bytes);
      };
    },

    sent({ buffer }) {
      if (buffer.byteLength !== CAPACITY_BYTES || !ours.has(buffer)) return;
      returned(buffer as ArrayBuffer);
      if (kept.length < MOST_KEPT) kept.push(buffer as ArrayBuffer);
      if (!is_watched) watch();
    },
  };
}

interface Size {
  readonly packet_bytes: number;
  readonly padding_bytes: number;
}

/** RFC 4253 §6: what is encrypted fills whole blocks; the length is not encrypted with the rest. */
function sizeOf(payload_bytes: number, block_bytes: number): Size {
  const rest = block_bytes - ((1 + payload_bytes) % block_bytes);
  const padding_bytes = rest < MIN_PADDING_BYTES ? rest + block_bytes : rest;
  return { packet_bytes: HEAD_BYTES + payload_bytes + padding_bytes, padding_bytes };
}

function packet(memory: ArrayBuffer, payload_bytes: number, { packet_bytes, padding_bytes }: Size): Buffer {
  const bytes = Buffer.from(memory, 0, packet_bytes + TAG_BYTES);
  bytes.writeUInt32BE(packet_bytes - LENGTH_BYTES, 0);
  bytes[LENGTH_BYTES] = padding_bytes;
  randomFillSync(bytes, HEAD_BYTES + payload_bytes, padding_bytes);
  return bytes;
}
