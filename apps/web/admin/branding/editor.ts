import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { brandingQuery, IMAGES, type ImageName } from '../../branding/branding.ts';
import { PALETTE, type PaletteName } from '../../branding/colors.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { createFormErrors } from '../../parts/fields/form-errors.ts';
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

/** The state of the branding form: edited fields keep what was typed, the others follow the stored values. */
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
  /** Reloads the branding, which the whole page applies at once. */
  async function refresh(): Promise<void> {
    await queries.invalidateQueries({ queryKey: brandingQuery(client).queryKey });
    change({});
  }

  return {
    /** The draft in the shape of a query, for `QueryState`. */
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
    setColor(field: PaletteField, name: PaletteName, text: string) {
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

const FIELDS = [
  'app_name',
  'tagline',
  ...IMAGES,
  ...PALETTE.flatMap((name) => [`colors.${name}`, `colors_dark.${name}`]),
];

function createErrors(draft: () => BrandingDraft | undefined, refused: () => unknown) {
  return createFormErrors<string>(refused, {
    fields: () => FIELDS,
    fieldOf: (code) => (code === 'image_unreadable' ? unreadableImage(draft()) : undefined),
  });
}

/** The image that cannot be read: the one that was just chosen, unless several were. */
function unreadableImage(draft: BrandingDraft | undefined): ImageName | undefined {
  const chosen = IMAGES.filter((name) => draft?.[name]?.startsWith('data:'));
  return chosen.length === 1 ? chosen[0] : undefined;
}
