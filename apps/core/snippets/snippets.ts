import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { MAX_SNIPPETS } from '../limits.ts';
import type { Caller } from '../model/accounts/caller.ts';
import type { Snippet, SnippetInput, SnippetPatch, SnippetRow } from '../model/snippet.ts';
import { assertAdmin, assertMay } from '../policy/account.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Clock } from '../ports/runtime.ts';

/** Saved commands: the caller's own, and those that administrators share with everybody. */
export interface Snippets {
  list(caller: Caller): Promise<Snippet[]>;
  create(caller: Caller, input: SnippetInput): Promise<Snippet>;
  update(caller: Caller, id: number, patch: SnippetPatch): Promise<Snippet>;
  remove(caller: Caller, id: number): Promise<void>;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'snippets'>;
  readonly trail: AuditTrail;
  readonly clock: Clock;
}

export function createSnippets({ repositories, trail, clock }: Deps): Snippets {
  const { snippets } = repositories;

  /** The caller's own snippet, or a shared one if the caller is an administrator. */
  async function changeable(caller: Caller, id: number): Promise<SnippetRow> {
    const row = await snippets.byId(id);
    if (row?.user_id === caller.user_id) return row;
    if (!row?.shared || !caller.is_admin) throw new Fault('snippet_not_found');
    assertAdmin(caller); // an administrator's API key may lack the scope
    return row;
  }

  return {
    async list(caller) {
      assertMay(caller, 'read');
      return (await snippets.visibleTo(caller.user_id)).map((row) => toSnippet(caller, row));
    },

    async create(caller, input) {
      assertMay(caller, 'change_snippets');
      if (input.shared) assertAdmin(caller);
      const { user_id } = caller;
      const created_at = clock.now().toISOString();
      const row = await snippets.insert({ ...input, user_id, created_at }, MAX_SNIPPETS);
      await trail.record(caller, 'snippet_create', labelOf(row));
      return toSnippet(caller, row);
    },

    async update(caller, id, patch) {
      assertMay(caller, 'change_snippets');
      const before = await changeable(caller, id);
      // Other users run shared snippets on their hosts, so a former administrator must not change them.
      if (patch.shared ?? before.shared) assertAdmin(caller);
      const row = await snippets.update(id, patch);
      if (!row) throw new Fault('snippet_not_found');
      const fields = FIELDS.filter((field) => row[field] !== before[field]).join(', ') || 'nothing';
      await trail.record(caller, 'snippet_update', `${labelOf(row)}: ${fields}`);
      return toSnippet(caller, row);
    },

    async remove(caller, id) {
      assertMay(caller, 'change_snippets');
      const row = await changeable(caller, id);
      if (!(await snippets.remove(id))) throw new Fault('snippet_not_found');
      await trail.record(caller, 'snippet_delete', labelOf(row));
    },
  };
}

const FIELDS = [
  'name',
  'command',
  'description',
  'shared',
  'confirm',
] as const satisfies readonly (keyof SnippetPatch)[];

/** Without the command, which may contain secrets. */
function labelOf({ id, name }: SnippetRow): string {
  return `${name} (#${id})`;
}

function toSnippet({ user_id }: Caller, row: SnippetRow): Snippet {
  const { id, name, command, description, shared, confirm, created_at } = row;
  return { id, name, command, description, shared, confirm, owned: row.user_id === user_id, created_at };
}
