import { useQuery } from '@tanstack/solid-query';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createTyped } from '../../lib/typed.ts';
import { Field } from '../../parts/fields/field.tsx';
import { SelectField } from '../../parts/fields/select.tsx';
import { UserFilter } from '../../parts/fields/user-filter.tsx';
import { type AuditFilter, auditActionsQuery, isBackwards, isFiltered, VIAS, viaOf } from './audit.ts';

const EVERY = '*'; // a select needs a value; no action or transport has this name
const NOTHING = { search: '', username: '', action: '', via: '', since: '', until: '' };

interface Props {
  readonly filter: AuditFilter;
  readonly onChange: (part: Partial<AuditFilter>) => void;
}

export function AuditFilters(props: Props) {
  const { t } = useApp();
  const search = createTyped(
    () => props.filter.search,
    (value) => props.onChange({ search: value }),
  );
  return (
    <search class="audit-filters" aria-label={t('filters')}>
      <Field
        label={t('search')}
        description={t('audit_search_hint')}
        value={search.text()}
        onChange={search.type}
        class="audit-wide"
        input={{ type: 'search', autocomplete: 'off', maxlength: 200 }}
      />
      <UserFilter username={props.filter.username} onChange={(username) => props.onChange({ username })} />
      <ActionField {...props} />
      <ViaField {...props} />
      <Field
        label={t('since')}
        value={props.filter.since}
        onChange={(since) => props.onChange({ since })}
        class="audit-wide"
        input={{ type: 'datetime-local' }}
      />
      <Field
        label={t('until')}
        value={props.filter.until}
        onChange={(until) => props.onChange({ until })}
        error={isBackwards(props.filter) ? t('until_before_since') : undefined}
        class="audit-wide"
        input={{ type: 'datetime-local' }}
      />
      <Show when={isFiltered(props.filter)}>
        <button type="button" class="button" onClick={() => props.onChange(NOTHING)}>
          {t('clear_filters')}
        </button>
      </Show>
    </search>
  );
}

function ActionField(props: Props) {
  const { client, preferences, t } = useApp();
  const actions = useQuery(() => auditActionsQuery(client));
  const named = () => {
    const { compare } = new Intl.Collator(preferences.values.language);
    return (actions.data ?? [])
      .map((value) => ({ value, label: t.optional(`action_${value}`) ?? value }))
      .sort((one, other) => compare(one.label, other.label));
  };
  const options = () => [{ value: EVERY, label: t('every_action') }, ...named()];
  return (
    <SelectField<string>
      label={t('action')}
      value={props.filter.action || EVERY}
      options={options()}
      onChange={(action) => props.onChange({ action: action === EVERY ? '' : action })}
    />
  );
}

function ViaField(props: Props) {
  const { t } = useApp();
  const options = () => [
    { value: EVERY, label: t('every_via') },
    ...VIAS.map((via) => ({ value: via, label: viaOf(via, t) })),
  ];
  const value = () => VIAS.find((via) => via === props.filter.via) ?? EVERY;
  return (
    <SelectField<string>
      label={t('via')}
      value={value()}
      options={options()}
      onChange={(via) => props.onChange({ via: via === EVERY ? '' : via })}
    />
  );
}
