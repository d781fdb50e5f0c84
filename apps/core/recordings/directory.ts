import type { Casts } from '../ports/casts.ts';

/** The recordings directory of this instance. */
export interface RecordingsDirectory {
  /** Null until it is known. Does not wait for the disk. */
  id(): string | null;
  find(options: { readonly create: boolean }): Promise<string | null>;
}

export function createRecordingsDirectory(casts: Pick<Casts, 'directoryId'>): RecordingsDirectory {
  let known: string | null = null;
  return {
    id: () => known,
    async find(options) {
      known ??= await casts.directoryId(options);
      return known;
    },
  };
}
