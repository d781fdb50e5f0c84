import type { SnippetPatch, SnippetRow } from '../../model/snippet.ts';

export interface SnippetRepository {
  /** Own and shared ones, by name without regard to case. */
  visibleTo(user_id: number): Promise<SnippetRow[]>;
  byId(id: number): Promise<SnippetRow | undefined>;
  /** `too_many_snippets` when the user has `limit` already. */
  insert(row: Omit<SnippetRow, 'id'>, limit: number): Promise<SnippetRow>;
  update(id: number, patch: SnippetPatch): Promise<SnippetRow | undefined>;
  /** False when it was gone. */
  remove(id: number): Promise<boolean>;
}
