namespace muster {
extern const char placeholder_store = 0;
}
