import { type PointerEvent, useMemo } from 'react';
import css from './Workflow.module.css';
import { type Box, type View, isWhole } from './shape';

export interface MinimapProps {
  boxes: readonly Box[];
  width: number;
  height: number;
  size: { width: number; height: number };
  view: View;
  onView: (view: View) => void;
}

/** A canvas that is narrower has no corner to spare. */
const ROOM = 520;

/** The whole drawing, small, and the part of it that is seen: a press or a drag shows another part. Arrow keys do so, too. */
export function Minimap({ boxes, width, height, size, view, onView }: MinimapProps) {
  const path = useMemo(() => boxes.map((at) => `M${at.x.toFixed(0)} ${at.y.toFixed(0)}h${at.width}v${at.height}h${-at.width}z`).join(''), [boxes]);
  if (boxes.length === 0 || size.width < ROOM || isWhole(width, height, size, view)) return null;
  const show = (event: PointerEvent<SVGSVGElement>) => {
    const matrix = event.currentTarget.getScreenCTM();
    if (!matrix) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    onView({ scale: view.scale, x: size.width / 2 - x * view.scale, y: size.height / 2 - y * view.scale });
  };
  const margin = Math.max(width, height) * 0.04;
  return (
    <svg
      className={css.map}
      aria-hidden="true"
      viewBox={`${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        show(event);
      }}
      onPointerMove={(event) => event.buttons === 1 && show(event)}
    >
      <path d={path} className={css.mapNodes} />
      <rect className={css.mapView} x={-view.x / view.scale} y={-view.y / view.scale} width={size.width / view.scale} height={size.height / view.scale} />
    </svg>
  );
}
