/** Space that the database keeps for the time when its disk is full. */
export interface DiskReserve {
  /** True while only what ends or deletes something should be written. */
  isFull(): boolean;
  /** Keeps the space, or keeps it again once the disk has room. */
  fill(): Promise<void>;
}
