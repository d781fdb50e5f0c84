import { stat } from 'node:fs/promises';
import { Fault } from '#core/errors.ts';
import { readFault } from './read.ts';
import type { ObjectStore } from './store/object-store.ts';

/** Uses the file of a cast, or its object once the file is in the store; a signed URL unless `useObject` is given. */
export function createReach(fileOf: (path: string) => string, objects: ObjectStore | undefined) {
  return async <T>(
    path: string,
    use: (place: string) => Promise<T>,
    useObject = async (store: ObjectStore) => use(await store.url(path)),
  ): Promise<T> => {
    const file = fileOf(path); // throws for a path outside, which is no key either
    try {
      return await use(file).catch(throwFault);
    } catch (error) {
      const is_missing = error instanceof Fault && error.code === 'recording_file_missing';
      if (!objects || !is_missing) throw error;
    }
    return useObject(objects).catch(throwFault);
  };
}

function throwFault(cause: unknown): never {
  throw readFault(cause);
}

export async function sizeOfFile(file: string): Promise<number> {
  const found = await stat(file);
  if (!found.isFile()) throw new Fault('recording_file_missing');
  return found.size;
}
