import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal } from 'solid-js';
import { ClientError } from '#client/client-error.ts';
import { useApp } from '../../app-context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { brandingQuery, IMAGES } from './branding.ts';
import type { PaletteName } from './colours.ts';
import {
  type BrandingDraft,
  draftOf,
  inputOf,
  isSendable,
  type PaletteField,
  resetBranding,
  saveBranding,
} from './draft.ts';

export type BrandingEditor = ReturnType<typeof createBrandingEditor>;

/** The branding while it is changed: what was touched stays as typed, the rest follows what is stored. */
export function createBrandingEditor() {
  const { client } = useApp();
  const queries = useQueryClient();
  const query = useQuery(() => brandingQuery(client));
  const attempt = createAttempt();
  const [touched, setTouched] = createSignal<Partial<BrandingDraft>>({});
  const [saved, setSaved] = createSignal(false);
  const draft = () => query.data && { ...draftOf(query.data), ...touched() };
  const changes = () => {
    const present = draft();
    return present && query.data ? inputOf(present, query.data) : {};
  };
  function change(next: Partial<BrandingDraft>): void {
    setSaved(false);
    attempt.forget();
    setTouched(next);
  }
  /** The whole page takes it up at once. */
  async function refresh(): Promise<void> {
    await queries.invalidateQueries({ queryKey: brandingQuery(client).queryKey });
    change({});
  }

  return {
    /** The draft, as it is asked for. */
    asked: {
      get data() {
        return draft();
      },
      get error() {
        return query.error;
      },
      get isPending() {
        return query.isPending;
      },
      refetch: () => query.refetch(),
    },
    saved,
    busy: attempt.busy,
    ...createErrors(draft, attempt.error),
    dirty: () => Object.keys(changes()).length > 0,
    sendable: () => {
      const present = draft();
      return present !== undefined && isSendable(present);
    },
    set: (part: Partial<BrandingDraft>) => change({ ...touched(), ...part }),
    setColour(field: PaletteField, name: PaletteName, text: string) {
      const present = draft();
      if (present) change({ ...touched(), [field]: { ...present[field], [name]: text } });
    },
    discard: () => change({}),
    async save(): Promise<void> {
      const is_done = await attempt.run(async () => {
        await saveBranding(client, changes());
        await refresh();
      });
      setSaved(is_done);
    },
    async reset(): Promise<void> {
      await resetBranding(client);
      await refresh();
    },
  };
}

const FIELD = /^(app_name|tagline|logo|login_image|favicon|colors(_dark)?\.\w+)$/;

function createErrors(draft: () => BrandingDraft | undefined, refused: () => unknown) {
  const { t } = useApp();
  /** The one that was chosen just now, where it is one alone: only that can be unreadable. */
  const chosen = () => {
    const names = IMAGES.filter((name) => draft()?.[name]?.startsWith('data:'));
    return names.length === 1 ? names[0] : undefined;
  };
  function errorAt(path: string): string | undefined {
    const refusal = refused();
    if (!(refusal instanceof ClientError)) return undefined;
    if (refusal.code === 'image_unreadable' && path === chosen())
      return t.refusal(refusal.code, refusal.detail).text;
    const found = refusal.errors.find((field) => field.path === path);
    return found && t.complaint(found.message);
  }
  function isAtField(refusal: unknown): boolean {
    if (!(refusal instanceof ClientError)) return false;
    if (refusal.code === 'image_unreadable') return chosen() !== undefined;
    return refusal.errors.some(({ path }) => FIELD.test(path));
  }
  return {
    errorAt,
    /** What was refused and belongs to no field. */
    error: () => (isAtField(refused()) ? undefined : refused()),
  };
}
