import { Link, useNavigate } from '@tanstack/react-router';
import { ClipboardList, FileUp } from 'lucide-react';
import { type ChangeEvent, type DragEvent, useState } from 'react';
import { Button } from '@/components/Button';
import { CommandLine, useCopy } from '@/components/Copy';
import { NothingMatches } from '@/components/Feedback';
import { Field, Select, TextInput } from '@/components/Field';
import { StateBadge } from '@/components/StateBadge';
import { useNamespace } from '@/frame/namespace';
import { useFormats, useT } from '@/i18n';
import { createStore, useStore } from '@/lib/store';
import css from './Report.module.css';
import table from './Table.module.css';
import { type Item, type Kind, type Outcome, REPORT_MAX, type Report, countsOf, itemsOf, jobOf, kinds, openPoints, outcomes, readReport, sharedNotes } from './report';
import { xxlRoute } from './routes';

/** The report that is looked at: it stays while the reader visits jobs, and is gone with the page. */
const opened = createStore<Report | undefined>(undefined);
const looks = { refused: 'failed', changed: 'retrying', exact: 'succeeded' } as const;
const SHOWN = 200;
const SHARED = 8;

/** The report of an import, read in this browser alone: what became of each item, and why. */
export function Reported() {
  const report = useStore(opened);
  return report ? <Shown report={report} /> : <Open />;
}

/** Takes a report: a file that is dropped or chosen, or text that is pasted. */
function Open() {
  const t = useT();
  const [problem, setProblem] = useState<string>();
  const [over, setOver] = useState(false);
  const read = (text: string) => {
    const report = readReport(text);
    if (typeof report === 'string') setProblem(t.xxl.report.faults[report]);
    else opened.set(report);
  };
  const take = (file: File | undefined) => {
    if (!file) return;
    if (file.size > REPORT_MAX) setProblem(t.xxl.report.tooLarge);
    else void file.text().then(read);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    take(event.target.files?.[0]);
    // The same file can be chosen again, once it is mended.
    event.target.value = '';
  };
  return (
    <div className={css.parts}>
      <p className={css.intro}>{t.xxl.report.intro}</p>
      <CommandLine text="mainspring import xxl-job dump.sql --timezone Asia/Shanghai --dry-run -o json > report.json" />
      <label
        className={css.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <FileUp size={22} strokeWidth={1.6} aria-hidden="true" />
        <strong>{t.xxl.report.choose}</strong>
        <span>{t.xxl.report.drop}</span>
        <input type="file" accept=".json,application/json" className="visually-hidden" onChange={onChange} />
      </label>
      <Field label={t.xxl.report.paste}>{(field) => <textarea {...field} className={css.paste} rows={4} spellCheck={false} value="" onChange={(event) => read(event.target.value)} />}</Field>
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function Shown({ report }: { report: Report }) {
  const t = useT();
  const formats = useFormats();
  const copy = useCopy();
  const { outcome, kind, q } = xxlRoute.useSearch();
  const navigate = useNavigate();
  const [shown, setShown] = useState(SHOWN);
  const set = (change: object) => {
    setShown(SHOWN);
    void navigate({ to: '.', search: (before: Record<string, unknown>) => ({ ...before, ...change }), replace: true } as never);
  };
  const items = itemsOf(report, { outcome, kind, q });
  const shared = sharedNotes(report, SHARED);
  return (
    <div className={css.parts}>
      <div className={css.head}>
        <p>
          {t.xxl.report.of(report.release, formats.number(report.items.length))} {report.files.length > 0 ? t.xxl.report.written(formats.number(report.files.length)) : t.xxl.report.noFiles}
        </p>
        <Button icon={ClipboardList} onClick={() => copy(openPoints(items))}>
          {t.xxl.report.copyOpen}
        </Button>
        <Button onClick={() => opened.set(undefined)}>{t.xxl.report.other}</Button>
      </div>
      <ul className={css.sums}>
        {kinds
          .filter((each) => report.items.some((item) => item.kind === each))
          .map((each) => (
            <Sum key={each} kind={each} counts={countsOf(report, each)} chosen={kind === each ? outcome : undefined} onChoose={(next) => set({ kind: each, outcome: next })} />
          ))}
      </ul>
      {shared.length > 0 && (
        <section className={css.shared} aria-label={t.xxl.report.shared}>
          <h2>{t.xxl.report.shared}</h2>
          <ul>
            {shared.map(({ note, count }) => (
              <li key={note}>
                <button type="button" aria-pressed={q === note} onClick={() => set({ q: q === note ? undefined : note, outcome: undefined, kind: undefined })}>
                  <span>{note}</span> <strong>{formats.number(count)}</strong>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div className={css.filters}>
        <TextInput data-page-search aria-label={t.xxl.report.find} placeholder={t.xxl.report.find} value={q ?? ''} onChange={(event) => set({ q: event.target.value || undefined })} />
        <Select aria-label={t.xxl.report.kind} value={kind ?? ''} onChange={(event) => set({ kind: event.target.value || undefined })}>
          <option value="">{t.xxl.report.allKinds}</option>
          {kinds.map((each) => (
            <option key={each} value={each}>
              {t.xxl.report.kinds[each]}
            </option>
          ))}
        </Select>
        <Select aria-label={t.xxl.report.outcome} value={outcome ?? ''} onChange={(event) => set({ outcome: event.target.value || undefined })}>
          <option value="">{t.xxl.report.allOutcomes}</option>
          {outcomes.map((each) => (
            <option key={each} value={each}>
              {t.xxl.report.outcomes[each]}
            </option>
          ))}
        </Select>
      </div>
      {items.length === 0 ? <NothingMatches onClear={() => set({ q: undefined, kind: undefined, outcome: undefined })} /> : <Items items={items.slice(0, shown)} />}
      {items.length > shown && <Button onClick={() => setShown((before) => before + SHOWN)}>{t.xxl.report.more(formats.number(items.length - shown))}</Button>}
    </div>
  );
}

/** How the items of a kind fared: a press shows those. */
function Sum({ kind, counts, chosen, onChoose }: { kind: Kind; counts: Record<Outcome, number>; chosen: Outcome | undefined; onChoose: (outcome: Outcome | undefined) => void }) {
  const t = useT();
  const formats = useFormats();
  const all = counts.exact + counts.changed + counts.refused;
  return (
    <li>
      <h2>
        {t.xxl.report.kinds[kind]} <span>{formats.number(all)}</span>
      </h2>
      <div className={css.bar} aria-hidden="true">
        {outcomes.map((each) => counts[each] > 0 && <i key={each} data-state-word={looks[each]} style={{ flexGrow: counts[each] }} />)}
      </div>
      <div className={css.counts}>
        {outcomes.map((each) => (
          <button key={each} type="button" disabled={counts[each] === 0} aria-pressed={chosen === each} onClick={() => onChoose(chosen === each ? undefined : each)}>
            <StateBadge state={looks[each]} word={`${formats.number(counts[each])} ${t.xxl.report.outcomes[each]}`} />
          </button>
        ))}
      </div>
    </li>
  );
}

function Items({ items }: { items: readonly Item[] }) {
  const t = useT();
  const ns = useNamespace();
  return (
    <div className={table.box} tabIndex={0} role="region" aria-label={t.xxl.report.title}>
      <table className={`${table.table} ${css.items}`}>
        <thead>
          <tr>
            <th scope="col">{t.xxl.report.item}</th>
            <th scope="col">{t.xxl.report.outcome}</th>
            <th scope="col">{t.xxl.report.becomes}</th>
            <th scope="col">{t.xxl.report.notes}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => {
            const job = jobOf(item);
            return (
              <tr key={`${item.kind} ${item.id} ${item.name}`}>
                <th scope="row">
                  {item.name} <span className={css.quiet}>{t.xxl.report.numbered(t.xxl.report.kinds[item.kind], String(item.id))}</span>
                </th>
                <td>
                  <StateBadge state={looks[item.outcome]} word={t.xxl.report.outcomes[item.outcome]} />
                </td>
                <td>
                  {job ? (
                    <Link to="/ns/$ns/jobs/$job" params={{ ns: ns === '-' ? 'default' : ns, job }}>
                      {item.becomes}
                    </Link>
                  ) : (
                    (item.becomes ?? t.common.none)
                  )}
                </td>
                <td>
                  {item.notes.length > 0 ? (
                    <ul>
                      {item.notes.map((note) => (
                        <li key={note}>{note}</li>
                      ))}
                    </ul>
                  ) : (
                    t.common.none
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
