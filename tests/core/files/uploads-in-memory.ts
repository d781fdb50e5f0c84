import type { UploadRow } from '#core/model/files/upload.ts';
import type { UploadRepository } from '#core/ports/repositories/files.ts';

type Kept = UploadRow & { abandoned: boolean };

/** The upload repository in memory. */
export function uploadsInMemory() {
  const rows = new Map<string, Kept>();
  const finished = new Map<string, UploadRow>();
  const standing = (id: string) => {
    const row = rows.get(id);
    return row?.abandoned ? undefined : row;
  };
  const none = async () => {
    throw new Error('Not asked for here');
  };
  const uploads: UploadRepository = {
    async insert(row) {
      rows.set(row.id, { ...row, abandoned: false });
    },
    async extend(id, expires_at) {
      const row = standing(id);
      if (row) rows.set(id, { ...row, expires_at });
      return row !== undefined;
    },
    async remove(id) {
      rows.delete(id);
      finished.delete(id);
    },
    async finish(id) {
      const row = rows.get(id);
      if (row) finished.set(id, row);
      rows.delete(id);
    },
    finished: async (id) => finished.get(id),
    removeFinished: none,
    async takeExpired({ now, again_at, limit, server_id }) {
      const taken = [...rows.values()]
        .filter((row) => row.expires_at <= now && (server_id === undefined || row.server_id === server_id))
        .slice(0, limit)
        .map((row) => ({ ...row, abandoned: true, expires_at: again_at }));
      for (const row of taken) rows.set(row.id, row);
      return taken;
    },
    find: none,
    listOf: none,
    countOf: none,
    countAt: async (server_id) => [...rows.values()].filter((row) => row.server_id === server_id).length,
  };
  return { uploads, rows };
}
