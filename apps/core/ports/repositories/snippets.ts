import type { SnippetPatch, SnippetRow } from '../../model/snippet.ts';

export interface SnippetRepository {
  /** Own and shared snippets, ordered by name, ignoring case. */
  visibleTo(user_id: number): Promise<SnippetRow[]>;
  byId(id: number): Promise<SnippetRow | undefined>;
  /** Throws `too_many_snippets` when the user already has `limit` snippets. */
  insert(row: Omit<SnippetRow, 'id'>, limit: number): Promise<SnippetRow>;
  update(id: number, patch: SnippetPatch): Promise<SnippetRow | undefined>;
  /** False when it does not exist. */
  remove(id: number): Promise<boolean>;
}
