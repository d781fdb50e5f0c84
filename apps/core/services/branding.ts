import { Fault } from '../errors.ts';
import {
  type Branding,
  type BrandingImageName,
  type BrandingInput,
  DEFAULT_NAME,
} from '../model/branding.ts';
import type { Caller } from '../model/caller.ts';
import { assertAdmin } from '../policy/account.ts';

/** Whose gateway it is. */
export interface BrandingService {
  get(): Promise<Branding>;
  image(name: BrandingImageName): Promise<{ type: string; bytes: Uint8Array<ArrayBuffer>; digest: string }>;
  update(caller: Caller, input: BrandingInput): Promise<Branding>;
  reset(caller: Caller): Promise<void>;
}

export function createBranding(): BrandingService {
  const get = async (): Promise<Branding> => ({
    app_name: DEFAULT_NAME,
    tagline: '',
    colors: {},
    colors_dark: {},
    logo: null,
    login_image: null,
    favicon: null,
  });
  return {
    get,
    image: async () => {
      throw new Fault('image_not_found');
    },
    update: async (caller) => {
      assertAdmin(caller);
      return get();
    },
    reset: async (caller) => assertAdmin(caller),
  };
}
