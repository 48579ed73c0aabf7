import { useQuery } from '@tanstack/react-query';
import { ClipboardCopy } from 'lucide-react';
import { useState } from 'react';
import { infoQuery } from '@/api/queries';
import { Button } from '@/components/Button';
import { useCopy } from '@/components/Copy';
import { Loaded } from '@/components/Feedback';
import { CheckBox, Field, Select, TextInput } from '@/components/Field';
import { Instant } from '@/components/Instant';
import { Facts, Page, Panel } from '@/components/Page';
import { useFormats, useT } from '@/i18n';
import { clockOffset, useNow } from '@/lib/clock';
import { apiPath } from '@/lib/config';
import { live } from '@/lib/live';
import { browserZone, usePref } from '@/lib/prefs';
import { useStore } from '@/lib/store';
import { clusterQuery } from '../cluster/queries';
import { diagnosticsOf, isZone } from './diagnostics';
import css from './Settings.module.css';

export function SettingsPage() {
  const t = useT();
  return (
    <Page title={t.shell.settings}>
      <div className={css.columns}>
        <Profile />
        <About />
      </div>
    </Page>
  );
}

function Profile() {
  const t = useT();
  const [language, setLanguage] = usePref('language');
  const [theme, setTheme] = usePref('theme');
  const [zone, setZone] = usePref('zone');
  const [userZone, setUserZone] = usePref('userZone');
  const [density, setDensity] = usePref('density');
  const [landing, setLanding] = usePref('landing');
  const [singleKeys, setSingleKeys] = usePref('singleKeys');
  const [typed, setTyped] = useState(userZone);
  const zoneIsBad = typed !== '' && !isZone(typed);
  return (
    <Panel title={t.settings.profile} aside={t.settings.profileText}>
      <div className={css.form}>
        <Field label={t.settings.language}>
          {(field) => (
            <Select {...field} value={language} onChange={(event) => setLanguage(event.target.value === 'zh' ? 'zh' : 'en')}>
              <option value="en">English</option>
              <option value="zh">简体中文</option>
            </Select>
          )}
        </Field>
        <Field label={t.settings.theme}>
          {(field) => (
            <Select {...field} value={theme} onChange={(event) => setTheme(event.target.value as typeof theme)}>
              <option value="system">{t.shell.themeSystem}</option>
              <option value="light">{t.shell.themeLight}</option>
              <option value="dark">{t.shell.themeDark}</option>
            </Select>
          )}
        </Field>
        <Field label={t.settings.zone}>
          {(field) => (
            <Select {...field} value={zone} onChange={(event) => setZone(event.target.value as typeof zone)}>
              <option value="user">{t.shell.zoneUser}</option>
              <option value="job">{t.shell.zoneJob}</option>
              <option value="utc">{t.shell.zoneUtc}</option>
            </Select>
          )}
        </Field>
        <Field label={t.settings.userZone} hint={t.settings.userZoneHint(browserZone)} error={zoneIsBad ? t.settings.badZone : undefined}>
          {(field) => (
            <TextInput
              {...field}
              value={typed}
              placeholder={browserZone}
              onChange={(event) => {
                const next = event.target.value.trim();
                setTyped(next);
                if (next === '' || isZone(next)) setUserZone(next);
              }}
            />
          )}
        </Field>
        <Field label={t.settings.density}>
          {(field) => (
            <Select {...field} value={density} onChange={(event) => setDensity(event.target.value as typeof density)}>
              <option value="compact">{t.common.compact}</option>
              <option value="regular">{t.common.regular}</option>
              <option value="comfortable">{t.common.comfortable}</option>
            </Select>
          )}
        </Field>
        <Field label={t.settings.landing}>
          {(field) => (
            <Select {...field} value={landing} onChange={(event) => setLanding(event.target.value as typeof landing)}>
              <option value="dashboard">{t.shell.dashboard}</option>
              <option value="jobs">{t.shell.jobs}</option>
              <option value="runs">{t.shell.runs}</option>
              {landing.startsWith('view:') && <option value={landing}>{t.views.view(landing.split(':').slice(2).join(':'))}</option>}
            </Select>
          )}
        </Field>
        <CheckBox label={t.settings.keys} hint={t.settings.keysHint} checked={singleKeys} onChange={(event) => setSingleKeys(event.target.checked)} />
      </div>
    </Panel>
  );
}

function About() {
  const t = useT();
  const query = useQuery(infoQuery);
  const cluster = useQuery(clusterQuery).data;
  const formats = useFormats();
  const copy = useCopy();
  const now = useNow();
  const offset = useStore(clockOffset);
  return (
    <Panel title={t.settings.about}>
      <Loaded query={query} what={t.settings.about}>
        {(info) => (
          <div className={css.about}>
            <Facts
              rows={[
                [t.settings.version, info.version],
                [t.settings.node, <code key="node">{info.node}</code>],
                [t.settings.store, info.store],
                [t.settings.zoneData, info.tzdata],
                [t.settings.defaultZone, info.default_timezone],
                [t.settings.startedAt, <Instant key="started" at={info.started_at} relative />],
                [t.settings.serverTime, <Instant key="now" at={new Date(now).toISOString()} />],
                [
                  t.settings.clockOffset,
                  Math.abs(offset) < 1000 ? t.settings.clockRight : offset < 0 ? t.settings.clockFast(formats.duration(-offset)) : t.settings.clockSlow(formats.duration(offset)),
                ],
              ]}
            />
            <h3>{t.settings.warnings}</h3>
            {(info.warnings ?? []).length === 0 ? (
              <p className={css.quiet}>{t.settings.noWarnings}</p>
            ) : (
              <ul>
                {info.warnings?.map((warning) => (
                  <li key={warning.code}>
                    {t.said.say(warning.code, warning.message)}{t.common.stop}<span className={css.quiet}>{t.said.hint(warning.hint)}</span>
                  </li>
                ))}
              </ul>
            )}
            <h3>{t.settings.diagnostics}</h3>
            <p className={css.quiet}>{t.settings.diagnosticsText}</p>
            <p>
              <Button
                icon={ClipboardCopy}
                onClick={() => copy(diagnosticsOf(info, cluster, { agent: navigator.userAgent, zone: browserZone, language: navigator.language, offsetMs: offset, mode: live.get().mode }))}
              >
                {t.settings.copyDiagnostics}
              </Button>
            </p>
            <p>
              <a href={apiPath('/api/v1/openapi.json')} target="_blank" rel="noreferrer">
                {t.settings.apiDocs}
              </a>
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
