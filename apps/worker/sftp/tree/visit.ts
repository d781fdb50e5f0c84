import { Fault } from '#core/errors.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { assertStillReal } from '../protocol/swap-check.ts';
import { runWorklist } from './bounded.ts';
import { readEntries, type TreeEntry } from './read-entries.ts';

const DIRECTORIES_AT_ONCE = 8;
// Limit of pending directories: a hostile tree may be endless.
const MAX_WAITING = 200_000;
const MAX_LENGTH = 32 * 1024 * 1024; // characters of their paths
const LEAVES_AT_ONCE = 16; // per directory

/** What to do with each entry of a tree; a rejection is remembered while the rest continues. */
export interface TreeVisitor {
  /** Called before the directory is read. */
  enter?(path: string): Promise<void>;
  /** Called for everything that is not a directory, links included. */
  leaf?(member: TreeEntry): Promise<void>;
  /** Called after the contents, unless some of them failed; `again` visits the directory once more. */
  leave?(path: string): Promise<'again' | 'done'>;
}

interface Branch {
  readonly path: string;
  readonly parent: Branch | undefined;
  /** Unfinished subdirectories, plus one for the directory itself. */
  open: number;
  failed: boolean;
}

/**
 * Visits a real directory tree, several directories at once, deepest first. Links are leaves, so there are no cycles.
 * An entry that disappears is not a failure; the first real failure is thrown after everything else is done.
 */
export async function visitTree(
  channel: SftpChannel,
  root: string,
  { visitor, signal }: { visitor: TreeVisitor; signal: AbortSignal },
): Promise<void> {
  const first = { path: root, parent: undefined, open: 1, failed: false };
  let [waiting, length] = [1, root.length];
  const isTooLarge = () => waiting > MAX_WAITING || length > MAX_LENGTH;
  const failures = createFailures(channel, signal, isTooLarge);
  await runWorklist<Branch>(first, DIRECTORIES_AT_ONCE, async (branch, addBranch) => {
    waiting -= 1;
    const add = (found: Branch) => {
      waiting += 1;
      if (isTooLarge()) throw new Fault('sftp_failed', 'The directory has too many subdirectories');
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
      for (const found of branches) {
        length += found.path.length;
        add(found);
      }
      if (visitor.leaf) await visitLeaves(branch, leaves, visitor.leaf);
    }
  }

  /** The directory may be swapped for a link, so it is checked before each batch, together with the previous one. */
  async function visitLeaves(
    branch: Branch,
    leaves: readonly TreeEntry[],
    visit: (member: TreeEntry) => Promise<void>,
  ): Promise<void> {
    if (leaves.length > 0) await assertStillReal(channel, branch.path);
    for (let from = 0; from < leaves.length; from += LEAVES_AT_ONCE) {
      const flight = leaves.slice(from, from + LEAVES_AT_ONCE);
      await Promise.all([
        ...flight.map((leaf) => failures.of(branch, leaf.path, () => visit(leaf))),
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
      length -= at.path.length;
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

/** Keeps the first failure; throws what ends the whole visit. */
function createFailures(channel: SftpChannel, signal: AbortSignal, isOver: () => boolean) {
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
        if (!(error instanceof Fault) || channel.ended() || isOver()) throw error;
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
