import { Fault } from '#core/errors.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { assertStillReal } from '../protocol/swap-check.ts';
import { runWorklist } from './bounded.ts';
import { readEntries, type TreeEntry } from './read-entries.ts';

const DIRECTORIES_AT_ONCE = 8;
const MAX_WAITING = 200_000; // directories; a host may go on forever
const LEAVES_AT_ONCE = 16; // in each of them

/** What is done with a tree; rejections are remembered, and the rest goes on. */
export interface TreeVisitor {
  /** Before anything is asked about what is in it. */
  enter?(path: string): Promise<void>;
  /** Of whatever is no directory, and of links. */
  leaf(member: TreeEntry): Promise<void>;
  /** After all that is in it, if nothing of that failed; `again` to go through it once more. */
  leave?(path: string): Promise<'again' | 'done'>;
}

interface Branch {
  readonly path: string;
  readonly parent: Branch | undefined;
  /** Directories in it that are not done, and one for itself. */
  open: number;
  failed: boolean;
}

/**
 * Goes through a real directory, several of its directories at once, deepest first. Links are leaves, so it has an end.
 * What vanishes meanwhile is no failure; the first of the others is thrown when all is done that can be.
 */
export async function visitTree(
  channel: SftpChannel,
  root: string,
  { visitor, signal }: { visitor: TreeVisitor; signal: AbortSignal },
): Promise<void> {
  const first = { path: root, parent: undefined, open: 1, failed: false };
  const failures = createFailures(channel, signal);
  let waiting = 1;
  await runWorklist<Branch>(first, DIRECTORIES_AT_ONCE, async (branch, addBranch) => {
    waiting -= 1;
    const add = (found: Branch) => {
      waiting += 1;
      if (waiting > MAX_WAITING)
        throw new Fault('sftp_failed', 'The directory has too many directories in it');
      addBranch(found);
    };
    await failures.of(branch, branch.path, () => visitEntries(branch, add));
    await leaveAncestors(branch, add);
  });
  failures.throwFirst();

  async function visitEntries(branch: Branch, add: (branch: Branch) => void): Promise<void> {
    await visitor.enter?.(branch.path);
    for await (const members of readEntries(channel, branch.path, signal)) {
      const { has_unaddressable: mute, branches, leaves } = partition(branch, members);
      if (mute) failures.add(branch, new Fault('unaddressable_name'), branch.path);
      branch.open += branches.length;
      for (const found of branches) add(found);
      await visitLeaves(branch, leaves);
    }
  }

  /** The directory may be swapped for a link: each flight goes out after an answered look, and brings the next one. */
  async function visitLeaves(branch: Branch, leaves: readonly TreeEntry[]): Promise<void> {
    if (leaves.length > 0) await assertStillReal(channel, branch.path);
    for (let from = 0; from < leaves.length; from += LEAVES_AT_ONCE) {
      const flight = leaves.slice(from, from + LEAVES_AT_ONCE);
      await Promise.all([
        ...flight.map((leaf) => failures.of(branch, leaf.path, () => visitor.leaf(leaf))),
        assertStillReal(channel, branch.path),
      ]);
    }
  }

  async function leaveAncestors(branch: Branch, add: (branch: Branch) => void): Promise<void> {
    for (let at: Branch | undefined = branch; at; at = at.parent) {
      at.open -= 1;
      if (at.open > 0) return;
      if ((await leave(at)) === 'again') {
        at.open = 1;
        return add(at);
      }
    }
  }

  async function leave(branch: Branch): Promise<'again' | 'done' | undefined> {
    const { path, parent } = branch;
    const left = branch.failed
      ? undefined
      : await failures.of(branch, path, async () => visitor.leave?.(path));
    if (branch.failed && parent) parent.failed = true;
    return left;
  }
}

function partition(parent: Branch, members: readonly TreeEntry[]) {
  const known = members.filter(({ addressable }) => addressable);
  const directories = known.filter(({ is_directory }) => is_directory);
  return {
    has_unaddressable: known.length < members.length,
    leaves: known.filter(({ is_directory }) => !is_directory),
    branches: directories.map(({ path }): Branch => ({ path, parent, open: 1, failed: false })),
  };
}

/** Keeps the first failure; what ends everything is thrown. */
function createFailures(channel: SftpChannel, signal: AbortSignal) {
  let first: Fault | undefined;
  function add(branch: Branch, fault: Fault, path: string): void {
    branch.failed = true;
    first ??= new Fault(fault.code, `${fault.detail}: ${path}`, { cause: fault });
  }
  return {
    add,
    async of<T>(branch: Branch, path: string, work: () => Promise<T>): Promise<T | undefined> {
      try {
        signal.throwIfAborted();
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Fault) || channel.ended()) throw error;
        const vanished = error.code === 'file_not_found' && branch.parent !== undefined;
        if (!vanished) add(branch, error, path);
        return undefined;
      }
    },
    throwFirst(): void {
      if (first) throw first;
    },
  };
}
