import { orRecorded } from '../audit/outcome.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { Fault } from '../errors.ts';
import { fromBase64 } from '../lib/bytes/bytes.ts';
import { createLimiter } from '../lib/concurrency/limiter.ts';
import type { Caller } from '../model/accounts/caller.ts';
import {
  BRANDING_IMAGES,
  BRANDING_TEXTS,
  type Branding,
  type BrandingImageName,
  type BrandingInput,
  type BrandingRow,
  brandingImagePath,
  DEFAULT_NAME,
} from '../model/settings/branding.ts';
import { assertMay } from '../policy/account.ts';
import type { Images } from '../ports/outside.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { Background, Clock } from '../ports/runtime.ts';
import { type ImageChanges, imageChanges } from './branding-images.ts';
import type { SettingOptions } from './settings.ts';

/** Name, colors and images of this installation. */
export interface BrandingService {
  /** Served from memory. */
  get(): Branding;
  /** Throws `image_not_found`. Reads the database again for a digest that this instance does not know yet. */
  image(name: BrandingImageName, digest?: string): Promise<BrandingImage>;
  update(caller: Caller, input: BrandingInput): Promise<Branding>;
  reset(caller: Caller): Promise<void>;
  /** Reads the stored branding: before the first request, and when another instance may have changed it. */
  refresh(): Promise<void>;
}

export interface BrandingImage {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly digest: string;
}

interface Deps {
  readonly repositories: Pick<Repositories, 'branding'>;
  readonly images: Images;
  readonly trail: AuditTrail;
  readonly background: Background;
  readonly clock: Clock;
}

interface State {
  readonly row: BrandingRow;
  readonly digests: ReadonlyMap<BrandingImageName, string>;
}

const PLAIN: State = {
  row: { app_name: '', tagline: '', colors: {}, colors_dark: {} },
  digests: new Map(),
};

const LOOK_EVERY_MS = 1000;

export function createBranding(
  { repositories, images, trail, background, clock }: Deps,
  { config_locked }: Pick<SettingOptions, 'config_locked'>,
): BrandingService {
  const { branding } = repositories;
  // An older read must not overwrite a newer one.
  const oneAtATime = createLimiter(1);
  const loaded = new Map<BrandingImageName, BrandingImage>();
  let state = PLAIN;
  let look = Promise.resolve();
  let looked_ms = Number.NEGATIVE_INFINITY;

  function assertMayChange(caller: Caller): void {
    assertMay(caller, 'administer');
    if (config_locked) throw new Fault('config_locked');
  }

  async function takeUp(): Promise<void> {
    const row = (await branding.get()) ?? PLAIN.row;
    const digests = new Map((await branding.images()).map(({ name, digest }) => [name, digest]));
    state = { row, digests };
    for (const [name, { digest }] of loaded) if (digests.get(name) !== digest) loaded.delete(name);
  }

  /** Requests with unknown digests share one read per second. */
  function lookAgain(): Promise<void> {
    if (clock.elapsed_ms() - looked_ms < LOOK_EVERY_MS) return look;
    looked_ms = clock.elapsed_ms();
    look = oneAtATime(takeUp);
    return look;
  }

  async function load(name: BrandingImageName): Promise<BrandingImage> {
    const row = await branding.image(name);
    if (!row) throw new Fault('image_not_found');
    const image = { type: row.type, bytes: fromBase64(row.data), digest: row.digest };
    if (state.digests.get(name) === row.digest) loaded.set(name, image);
    return image;
  }

  return {
    get: () => brandingOf(state),

    async image(name, digest) {
      if (digest !== undefined && digest !== state.digests.get(name)) await lookAgain();
      if (!state.digests.has(name)) throw new Fault('image_not_found');
      return loaded.get(name) ?? load(name);
    },

    async update(caller, input) {
      assertMayChange(caller);
      const changes = await imageChanges(images, input);
      await oneAtATime(async () => {
        await takeUp();
        const fields = [...changedTexts(state.row, input), ...changedImages(state, changes)];
        const record = (ending: string) =>
          trail.record(caller, 'branding_update', `${fields.join(', ') || 'nothing'}${ending}`);
        await orRecorded(
          branding.save(textsOf(input), changes, clock.now().toISOString()),
          background,
          record,
        );
        await record(''); // first: the change is stored even if what follows fails
        await takeUp();
      });
      return brandingOf(state);
    },

    async reset(caller) {
      assertMayChange(caller);
      const record = (ending: string) => trail.record(caller, 'branding_reset', ending);
      await oneAtATime(async () => {
        await orRecorded(branding.clear(), background, record);
        await record('');
        await takeUp();
      });
    },

    refresh: () => oneAtATime(takeUp),
  };
}

function brandingOf({ row, digests }: State): Branding {
  const { app_name, tagline, colors, colors_dark } = row;
  const address = (name: BrandingImageName) => {
    const digest = digests.get(name);
    return digest === undefined ? null : `${brandingImagePath(name)}${digest}`;
  };
  return {
    app_name: app_name || DEFAULT_NAME,
    tagline,
    colors,
    colors_dark,
    logo: address('logo'),
    login_image: address('login_image'),
    favicon: address('favicon'),
  };
}

function textsOf(input: BrandingInput): Partial<BrandingRow> {
  const given = BRANDING_TEXTS.filter((field) => input[field] !== undefined);
  return Object.fromEntries(given.map((field) => [field, input[field]]));
}

function changedTexts(before: BrandingRow, input: BrandingInput): string[] {
  const isOther = (field: keyof BrandingRow) =>
    input[field] !== undefined && canonical(input[field]) !== canonical(before[field]);
  return BRANDING_TEXTS.filter(isOther);
}

/** Equal for equal colors in any order. */
function canonical(value: BrandingRow[keyof BrandingRow] | undefined): string {
  return JSON.stringify(typeof value === 'object' ? Object.entries(value).sort() : value);
}

function changedImages({ digests }: State, changes: ImageChanges): BrandingImageName[] {
  return BRANDING_IMAGES.filter((name) => {
    const change = changes[name];
    return change !== undefined && change?.digest !== digests.get(name);
  });
}
