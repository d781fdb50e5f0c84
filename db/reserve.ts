import type { DiskReserve } from '#core/ports/disk-reserve.ts';

export interface Reserve extends DiskReserve {
  /** A write has found the disk full. True when it may succeed now. */
  release(): boolean;
}

export const NO_RESERVE: Reserve = {
  isFull: () => false,
  release: () => false,
  fill: async () => undefined,
};
