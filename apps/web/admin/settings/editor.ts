import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { configQuery } from '../../lib/gateway-info.ts';
import { createFormErrors } from '../../parts/fields/form-errors.ts';
import { type AuditLimits, changedLimits } from './retention.ts';
import {
  complaintOf,
  resetSetting,
  type Setting,
  type SettingDraft,
  saveSettings,
  settingsQuery,
  shownOf,
  touch,
  valuesOf,
  without,
} from './settings.ts';

export type SettingsEditor = ReturnType<typeof createSettingsEditor>;

interface Saved {
  /** Undefined when no audit limit was saved. */
  readonly limits_act_at: string | undefined;
}

/** The state of the settings form: typed values stay until saved, even if the stored ones change. */
export function createSettingsEditor() {
  const { client, t } = useApp();
  const query = useQuery(() => settingsQuery(client));
  const saving = createAttempt();
  const [draft, setDraft] = createSignal<SettingDraft>({});
  const [saved, setSaved] = createSignal<Saved>();
  const [asking, setAsking] = createSignal<AuditLimits>();
  const settings = () => query.data?.settings ?? [];
  const refused = createFormErrors(saving.error, { fields: () => settings().map(pathOf) });
  const refresh = useRefresh();

  function change(next: SettingDraft): void {
    setSaved(undefined);
    saving.forget();
    setDraft(next);
  }
  const save = () =>
    saving.run(async () => {
      await saveSettings(client, valuesOf(settings(), draft()));
      await refresh();
      change({});
    });

  return {
    query,
    locked: () => query.data?.locked === true,
    count: () => Object.keys(valuesOf(settings(), draft())).length,
    blocked: () => settings().some((setting) => complaintOf(setting, draft()[setting.key]) !== undefined),
    busy: saving.busy,
    saved,
    error: refused.error,
    /** The field's error: out of the setting's bounds, or refused by the gateway. */
    errorAt(setting: Setting): string | undefined {
      const complaint = complaintOf(setting, draft()[setting.key]);
      return complaint ? t(complaint.text, complaint.values) : refused.errorAt(pathOf(setting));
    },
    shown: (setting: Setting) => shownOf(setting, draft()),
    set: (setting: Setting, typed: string | boolean) => change(touch(draft(), setting, typed)),
    discard: () => change({}),
    /** The audit limits to ask about before they are saved. */
    asking,
    cancel: () => setAsking(undefined),
    /** Saves at once, unless the change could remove audit entries. */
    async save(): Promise<void> {
      const limits = changedLimits(settings(), valuesOf(settings(), draft()));
      if (limits) setAsking(limits);
      else if (await save()) setSaved({ limits_act_at: undefined });
    },
    async confirm(limits_act_at: string | undefined): Promise<void> {
      if (await save()) setSaved({ limits_act_at });
    },
    async reset(setting: Setting): Promise<void> {
      await resetSetting(client, setting.key);
      change(without(draft(), setting.key));
      await refresh();
    },
  };
}

function useRefresh() {
  const { client } = useApp();
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: settingsQuery(client).queryKey }),
      queries.invalidateQueries({ queryKey: configQuery(client).queryKey }), // some of them are in it
      queries.invalidateQueries({ queryKey: ['audit_limits'] }),
    ]);
}

/** A setting's path in the body that saves it. */
function pathOf({ key }: Pick<Setting, 'key'>): string {
  return `values.${key}`;
}
