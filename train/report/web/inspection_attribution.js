// Gradient times input of each new token as a heat map.
'use strict';

class AttributionViewer {
  constructor(data) {
    this.data = data;
    this.view = element('div', {class: 'view wide'});
    byId('attribution').append(this.view);
    this.repaint();
  }

  repaint() {
    const {attribution} = this.data.inspection;
    const rows = this.data.targetTokens.slice(this.data.given), columns = tokensRead(this.data);
    const largest = attribution.flat().reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    const tell = (row, column) => element('span', {}, `${columns[column]} for ${rows[row]}: ${attribution[row][column].toFixed(3)}`);
    const shade = (value) => Math.sign(value) * Math.sqrt(Math.abs(value) / largest);
    this.view.replaceChildren(heatMap({rows: rows.length, columns: columns.length}, rows, columns, tell, 'Heat map of attributions',
      (row, column) => signedColor(shade(attribution[row][column]))));
  }
}
