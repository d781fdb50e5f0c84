import type { DiskReserve } from '#core/ports/disk-reserve.ts';

export interface Reserve extends DiskReserve {
  /** A write has found the disk full. */
  release(): void;
}

export const NO_RESERVE: Reserve = {
  isFull: () => false,
  release: () => undefined,
  fill: async () => undefined,
};
