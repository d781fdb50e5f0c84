const MAX_CLIENTS = 8; // of one owner, who may change between devices

/** How much input each of the owner's clients has brought to the shell, so that one that resumes sends the rest once. */
export interface TakenInput {
  /** Bytes taken so far; undefined for a client that was not known. From now on it is. */
  meet(client_id: string): number | undefined;
  of(client_id: string | undefined): number | undefined;
  add(client_id: string | undefined, bytes: number): void;
}

export function createTakenInput(): TakenInput {
  const counts = new Map<string, number>(); // the one that came last is the last
  return {
    meet(client_id) {
      const before = counts.get(client_id);
      counts.delete(client_id);
      counts.set(client_id, before ?? 0);
      for (const oldest of [...counts.keys()].slice(0, -MAX_CLIENTS)) counts.delete(oldest);
      return before;
    },
    of: (client_id) => (client_id === undefined ? undefined : counts.get(client_id)),
    add(client_id, bytes) {
      const before = this.of(client_id);
      if (client_id !== undefined && before !== undefined) counts.set(client_id, before + bytes);
    },
  };
}
