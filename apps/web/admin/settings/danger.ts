import type { TextKey } from '../../i18n/languages.ts';
import type { Setting } from './settings.ts';

/** Returns the warning about what a value opens to others, if it opens anything. */
export function dangerOf({ key }: Pick<Setting, 'key'>, shown: string | boolean): TextKey | undefined {
  if (key === 'webhook_allow_private')
    return shown === true ? 'setting_webhook_allow_private_danger' : undefined;
  if (typeof shown !== 'string' || shown.trim() === '') return undefined;
  if (key === 'allowed_origins') {
    return hasPlainSite(shown) ? 'setting_allowed_origins_danger_plain' : 'setting_allowed_origins_danger';
  }
  return key === 'frame_ancestors' ? 'setting_frame_ancestors_danger' : undefined;
}

/** Anybody on the network can change a page sent over http, unless it comes from the same machine. */
function hasPlainSite(sites: string): boolean {
  return sites
    .split(/[\s,]+/)
    .some((site) => /^http:/.test(site) && !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(site));
}
