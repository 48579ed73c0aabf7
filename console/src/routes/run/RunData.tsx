import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { exactText } from '@/api/client';
import { Button } from '@/components/Button';
import { Loaded } from '@/components/Feedback';
import { JsonView } from '@/components/JsonView';
import { Panel } from '@/components/Page';
import { useFormats, useT } from '@/i18n';
import { fillPath } from '@/lib/commands';
import { type Json, parseExact } from '@/lib/json';
import type { Run } from './queries';
import css from './Run.module.css';

/** What a run was given and what it left: with every digit of its numbers. */
export function RunData({ run }: { run: Run }) {
  const t = useT();
  const formats = useFormats();
  const [large, setLarge] = useState(false);
  const path = fillPath('/api/v1/runs/{run}', { run: run.id });
  const exact = useQuery({
    queryKey: ['run-exact', run.id, run.state],
    queryFn: async ({ signal }) => parseExact(await exactText(path, signal)),
  });
  const output = useQuery({
    queryKey: ['run-output', run.id],
    queryFn: ({ signal }) => exactText(`${path}/output`, signal),
    enabled: large,
  });
  const size = run.output_ref?.bytes;
  return (
    <div className={css.data}>
      <Panel title={t.run.input}>
        <Loaded query={exact} what={t.run.input}>
          {(json) => <Member json={json} name="input" none={t.run.noInput} />}
        </Loaded>
      </Panel>
      <Panel title={t.run.output}>
        {size === undefined ? (
          <Loaded query={exact} what={t.run.output}>
            {(json) => <Member json={json} name="output" none={t.run.noOutput} />}
          </Loaded>
        ) : large ? (
          <Loaded query={output} what={t.run.output}>
            {(text) => <JsonView text={text} open={1} />}
          </Loaded>
        ) : (
          <p className={css.large}>
            {t.run.largeOutput(formats.bytes(size))} <Button onClick={() => setLarge(true)}>{t.run.showOutput}</Button>
          </p>
        )}
      </Panel>
    </div>
  );
}

function Member({ json, name, none }: { json: Json; name: string; none: string }) {
  const found = json.kind === 'object' ? json.members.find(([key]) => key === name)?.[1] : undefined;
  return found && found.kind !== 'null' ? <JsonView json={found} open={3} /> : <p className={css.none}>{none}</p>;
}
