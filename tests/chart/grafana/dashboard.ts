// A dashboard as Grafana's own types describe it, for tsc to hold our JSON against. ./check runs it.
// They leave the inside of a panel open (options: Record<string, unknown>): here each type of panel gets
// what its plugin publishes. Another type of panel is one more line in PluginPanel.
import type { DataQuery, DataSourceRef } from '@grafana/schema';
import type * as grafana from '@grafana/schema/dist/esm/raw/dashboard/x/Dashboard_types.gen';
import type * as barchart from '@grafana/schema/dist/esm/raw/composable/barchart/panelcfg/x/BarChartPanelCfg_types.gen';
import type * as bargauge from '@grafana/schema/dist/esm/raw/composable/bargauge/panelcfg/x/BarGaugePanelCfg_types.gen';
import type * as gauge from '@grafana/schema/dist/esm/raw/composable/gauge/panelcfg/x/GaugePanelCfg_types.gen';
import type * as heatmap from '@grafana/schema/dist/esm/raw/composable/heatmap/panelcfg/x/HeatmapPanelCfg_types.gen';
import type * as piechart from '@grafana/schema/dist/esm/raw/composable/piechart/panelcfg/x/PieChartPanelCfg_types.gen';
import type * as stat from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type * as table from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
import type * as timeseries from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

// JSON has the values of enums, not their names.
type Json<T> = T extends string
  ? `${T}`
  : T extends number | boolean | null | undefined
    ? T
    : T extends (infer E)[]
      ? Json<E>[]
      : T extends object
        ? { [K in keyof T]: Json<T[K]> }
        : T;

// Grafana fills in the defaults of its plugins, so nothing is required.
type Defaulted<T> = T extends (infer E)[] ? Defaulted<E>[] : T extends object ? { [K in keyof T]?: Defaulted<T[K]> } : T;

// Of the data source Prometheus Grafana publishes no types here. These fields are from its documentation.
interface PrometheusQuery extends Omit<DataQuery, 'datasource'> {
  datasource: DataSourceRef;
  expr: string;
  exemplar?: boolean;
  format?: 'time_series' | 'table' | 'heatmap';
  instant?: boolean;
  interval?: string;
  legendFormat?: string;
  range?: boolean;
}

type FieldConfig<Custom> = Omit<grafana.FieldConfig, 'custom'> & { custom?: Defaulted<Custom> };

type Plugin<Type extends string, Options, Custom = Record<string, never>> = Omit<
  grafana.Panel,
  'type' | 'options' | 'fieldConfig' | 'targets'
> & {
  type: Type;
  title: string;
  gridPos: grafana.GridPos;
  options: Defaulted<Options>;
  fieldConfig: Omit<grafana.FieldConfigSource, 'defaults'> & { defaults: FieldConfig<Custom> };
  targets: PrometheusQuery[];
};

type PluginPanel =
  | Plugin<'barchart', barchart.Options, barchart.FieldConfig>
  | Plugin<'bargauge', bargauge.Options>
  | Plugin<'gauge', gauge.Options>
  | Plugin<'heatmap', heatmap.Options, heatmap.FieldConfig>
  | Plugin<'piechart', piechart.Options, piechart.FieldConfig>
  | Plugin<'stat', stat.Options>
  | Plugin<'table', table.Options, table.FieldConfig>
  | Plugin<'timeseries', timeseries.Options, timeseries.FieldConfig>;

type Row = Omit<grafana.RowPanel, 'panels'> & { panels: PluginPanel[] };

export type Dashboard = Json<Omit<grafana.Dashboard, 'panels'> & { panels: (PluginPanel | Row)[] }>;
