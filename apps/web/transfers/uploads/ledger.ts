import { mayStore } from '../../lib/storage.ts';
import type { UploadKind } from '../row.ts';
import type { KeptHandle } from './drop-handles.ts';

/** An unfinished upload, stored so that it can resume after a reload. */
export interface KeptJob {
  readonly id: string;
  readonly user_id: number;
  readonly kind: UploadKind;
  readonly name: string;
  readonly server_id: number;
  readonly directory: string;
  /** For a single file: identifies it again. */
  readonly size: number | undefined;
  readonly modified_ms: number | undefined;
  /** A handle, if the browser provided one: then a click is enough. */
  readonly handle: KeptHandle | undefined;
  readonly begun_ms: number;
}

/** An unfinished upload of one file on its host. */
export interface KeptPart {
  /** Identifies the user, the destination and the exact file. */
  readonly fingerprint: string;
  readonly user_id: number;
  /** The job that sends it. */
  readonly job_id: string;
  readonly server_id: number;
  readonly upload_id: string;
  /** The name the upload started with. */
  readonly filename: string;
  readonly overwrite: boolean;
}

/** Stored in this browser for one user. Nothing is stored if the browser refuses. */
export interface Ledger {
  jobs(): Promise<KeptJob[]>;
  keepJob(job: KeptJob): Promise<void>;
  forgetJob(id: string): Promise<void>;
  parts(): Promise<KeptPart[]>;
  part(fingerprint: string): Promise<KeptPart | undefined>;
  keepPart(part: KeptPart): Promise<void>;
  forgetPart(fingerprint: string): Promise<void>;
}

export interface FileIdentity {
  readonly server_id: number;
  readonly path: string;
  readonly size: number;
  readonly modified_ms: number;
}

export function fingerprintOf(user_id: number, file: FileIdentity): string {
  return JSON.stringify([user_id, file.server_id, file.path, file.size, file.modified_ms]);
}

const STORES = { jobs: 'id', parts: 'fingerprint' } as const;
type StoreName = keyof typeof STORES;

/** `name` separates gateways that share an origin. */
export function openLedger(name: string, user_id: number): Ledger {
  const opened = openDatabase(`sallyport:${name}:uploads`);
  opened.catch(() => undefined); // each use reports the error
  const present = new Map<string, KeptPart>(); // for this visit, even if nothing can be stored

  async function run<T>(store: StoreName, mode: IDBTransactionMode, work: Work<T>): Promise<T | undefined> {
    try {
      const objects = (await opened).transaction(store, mode).objectStore(store);
      return await toPromise(work(objects));
    } catch {
      return undefined; // private window or full quota
    }
  }

  /** Unchecked: both stores hold only what the functions below put into them. */
  async function all<T extends { readonly user_id: number }>(store: StoreName): Promise<T[]> {
    const found = (await run(store, 'readonly', (objects) => objects.getAll())) as T[] | undefined;
    return (found ?? []).filter((record) => record.user_id === user_id);
  }

  return {
    jobs: () => all<KeptJob>('jobs'),
    async parts() {
      const kept = await all<KeptPart>('parts');
      return [...kept.filter(({ fingerprint }) => !present.has(fingerprint)), ...present.values()];
    },
    async part(fingerprint) {
      const kept = run('parts', 'readonly', (parts): IDBRequest<KeptPart> => parts.get(fingerprint));
      return present.get(fingerprint) ?? (await kept);
    },
    async keepJob(job) {
      await run('jobs', 'readwrite', (jobs) => jobs.put(job));
    },
    async forgetJob(id) {
      await run('jobs', 'readwrite', (jobs) => jobs.delete(id));
    },
    async keepPart(part) {
      present.set(part.fingerprint, part);
      await run('parts', 'readwrite', (parts) => parts.put(part));
    },
    async forgetPart(fingerprint) {
      present.delete(fingerprint);
      await run('parts', 'readwrite', (parts) => parts.delete(fingerprint));
    },
  };
}

type Work<T> = (objects: IDBObjectStore) => IDBRequest<T>;

function openDatabase(name: string): Promise<IDBDatabase> {
  if (!mayStore()) return Promise.reject(new Error('Nothing is stored here'));
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      for (const [store, keyPath] of Object.entries(STORES))
        request.result.createObjectStore(store, { keyPath });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function toPromise<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
